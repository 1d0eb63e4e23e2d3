package io.holdfast.benchmarks.redis;

import io.holdfast.Holdfast;
import io.holdfast.benchmarks.kit.Entrant;
import io.holdfast.benchmarks.kit.HoldfastLocks;
import io.holdfast.benchmarks.kit.Locks;
import io.holdfast.benchmarks.kit.NoLock;
import java.time.Duration;

/** Everything that is measured. */
enum Contestant implements Entrant {
    /** What the server and the way to it allow: the commands of a lock, without a lock. */
    FLOOR("floor"),
    /** The same for passing a lock on: a message, without a lock. */
    FLOOR_OF_MESSAGES("floor"),
    NO_LOCK("no lock"),
    HOLDFAST("Holdfast"),
    /** Serves all processes in the order of their arrival. */
    HOLDFAST_STRICT("Holdfast, strict order"),
    REDISSON("Redisson"),
    REDISSON_FAIR("Redisson, fair"),
    SPRING_SPIN("Spring, spin"),
    SPRING_PUB_SUB("Spring, pub/sub");

    private final String label;

    Contestant(String label) {
        this.label = label;
    }

    @Override
    public String label() {
        return label;
    }

    @Override
    public Locks open(String address) {
        int port = Integer.parseInt(address);
        return switch (this) {
            case FLOOR -> new BareCommands(port);
            case FLOOR_OF_MESSAGES -> new BareMessages(port);
            case NO_LOCK -> new NoLock();
            case HOLDFAST -> new HoldfastLocks(Holdfast.builder("redis://127.0.0.1:" + port));
            case HOLDFAST_STRICT ->
                new HoldfastLocks(Holdfast.builder("redis://127.0.0.1:" + port).localHandOff(1, Duration.ZERO));
            case REDISSON -> RedissonLocks.unfair(port);
            case REDISSON_FAIR -> RedissonLocks.fair(port);
            case SPRING_SPIN -> SpringLocks.spin(port);
            case SPRING_PUB_SUB -> SpringLocks.pubSub(port);
        };
    }
}
