package io.holdfast.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Who asked when: inside a process, nobody is served before somebody who asked earlier and still waits. */
final class Arrivals {

    private final World world;
    private final Map<Line, List<Waiting>> lines = new HashMap<>();
    private final List<Overtaking> overtakings = new ArrayList<>();

    Arrivals(World world) {
        this.world = world;
    }

    private record Line(SimProcess process, String name) {}

    /** A place in the order of arrival. */
    record Ticket(SimProcess process, String name, int place) {

        private static final int NONE = 0;
    }

    /** Somebody who has asked. */
    private static final class Waiting {
        private long until = Long.MAX_VALUE;
    }

    /** Somebody was told before somebody who asked earlier. */
    private record Overtaking(Ticket ticket, Waiting earlier, long at) {}

    Ticket waits(SimProcess process, Resource.Request request, CompletableFuture<?> future) {
        String name = request.of().name();
        List<Waiting> all = lines.computeIfAbsent(new Line(process, name), line -> new ArrayList<>());
        Waiting waiting = new Waiting();
        all.add(waiting);
        var unused = future.whenComplete((lease, failure) -> waiting.until = world.now());
        return new Ticket(process, name, all.size() - 1);
    }

    /** Of a name that is shared, it is the store that decides whether somebody who does not wait gets a part at once. */
    Ticket tries(SimProcess process, Resource.Request request, CompletableFuture<?> attempt) {
        return request.of().kind() == Resource.Kind.LOCK
                ? waits(process, request, attempt)
                : new Ticket(process, request.of().name(), Ticket.NONE);
    }

    void served(Ticket ticket) {
        lines.getOrDefault(new Line(ticket.process, ticket.name), List.of()).stream()
                .limit(ticket.place)
                .filter(earlier -> earlier.until > world.now())
                .forEach(earlier -> overtakings.add(new Overtaking(ticket, earlier, world.now())));
    }

    /** Readers are served together, and one who comes just then may be told before the others are: that takes no time. */
    List<String> complaints() {
        return overtakings.stream()
                .filter(overtaking -> overtaking.earlier.until > overtaking.at)
                .map(overtaking -> "Overtaken in the line of " + overtaking.ticket.process + " for '"
                        + overtaking.ticket.name + "'")
                .distinct()
                .toList();
    }
}
