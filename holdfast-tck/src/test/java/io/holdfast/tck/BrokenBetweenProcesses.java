package io.holdfast.tck;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.LockStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** Stores with one bug each that shows only if several processes use them, and the case of the kit that has to find it. */
enum BrokenBetweenProcesses implements PlantedBug {
    EVERY_PROCESS_HAS_A_STORE_OF_ITS_OWN("Two holders at once") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return store;
        }

        @Override
        public Optional<StoreAddress> address(Broken.Shared shared) {
            return Optional.of(new StoreAddress(MemoryStoreProvider.class, shared.url));
        }
    },
    TOKENS_ARE_COUNTED_IN_EVERY_PROCESS("Token blocks overlap") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return open(RowInAFile.Bug.TOKENS_ARE_COUNTED_BY_THE_PROCESS, shared);
        }

        @Override
        public Optional<StoreAddress> address(Broken.Shared shared) {
            return Optional.of(at(RowInAFile.Bug.TOKENS_ARE_COUNTED_BY_THE_PROCESS, shared));
        }
    },
    LEASE_OF_A_DEAD_PROCESS_DOES_NOT_END("") {
        @Override
        public LockStore breakIt(LockStore store, Broken.Shared shared) {
            return open(RowInAFile.Bug.LEASES_DO_NOT_END, shared);
        }

        @Override
        public Optional<StoreAddress> address(Broken.Shared shared) {
            return Optional.of(at(RowInAFile.Bug.LEASES_DO_NOT_END, shared));
        }

        @Override
        public Duration patience() {
            return Duration.ofSeconds(1);
        }
    };

    private final String because;

    BrokenBetweenProcesses(String because) {
        this.because = because;
    }

    @Override
    public String caughtBy() {
        return "takeTurnsAndOneThatDiesIsFollowedByTheOthers";
    }

    @Override
    public String because() {
        return because;
    }

    /** Processes take long to start on a busy machine. */
    @Override
    public Duration patience() {
        return Duration.ofSeconds(20);
    }

    private static LockStore open(RowInAFile.Bug bug, Broken.Shared shared) {
        return new RowInAFile.Provider().open(at(bug, shared).url(), shared.environment());
    }

    private static StoreAddress at(RowInAFile.Bug bug, Broken.Shared shared) {
        Path file = Path.of(System.getProperty("java.io.tmpdir"), shared.url.replace(':', '-') + ".row");
        file.toFile().deleteOnExit();
        return new StoreAddress(RowInAFile.Provider.class, bug + ":" + file);
    }
}
