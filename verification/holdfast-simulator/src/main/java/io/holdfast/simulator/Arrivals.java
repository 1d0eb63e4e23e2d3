package io.holdfast.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Who asked when: inside a process, nobody is served before somebody who asked earlier and still waits. */
final class Arrivals {

    private record Line(SimProcess process, String name) {}

    /** A place in the order of arrival. */
    record Ticket(SimProcess process, String name, int place) {

        private static final int NONE = 0;
    }

    private final Map<Line, List<CompletableFuture<?>>> lines = new HashMap<>();
    private final List<String> complaints = new ArrayList<>();

    Ticket waits(SimProcess process, Resource.Request request, CompletableFuture<?> future) {
        String name = request.of().name();
        List<CompletableFuture<?>> all = lines.computeIfAbsent(new Line(process, name), line -> new ArrayList<>());
        all.add(future);
        return new Ticket(process, name, all.size() - 1);
    }

    /** Of a name that is shared, it is the store that decides whether somebody who does not wait gets a part at once. */
    Ticket tries(SimProcess process, Resource.Request request, CompletableFuture<?> attempt) {
        return request.of().kind() == Resource.Kind.LOCK
                ? waits(process, request, attempt)
                : new Ticket(process, request.of().name(), Ticket.NONE);
    }

    void served(Ticket ticket) {
        List<CompletableFuture<?>> all = lines.getOrDefault(new Line(ticket.process, ticket.name), List.of());
        for (int i = 0; i < ticket.place; i++) {
            if (!all.get(i).isDone()) {
                complaints.add("Overtaken in the line of " + ticket.process + " for '" + ticket.name + "'");
                return;
            }
        }
    }

    List<String> complaints() {
        return complaints;
    }
}
