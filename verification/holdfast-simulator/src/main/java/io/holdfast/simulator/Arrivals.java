package io.holdfast.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** Who asked when: inside a process, nobody is served before somebody who asked earlier and still waits. */
final class Arrivals {

    private record Place(SimProcess process, String name) {}

    private final Map<Place, List<CompletableFuture<?>>> waiting = new HashMap<>();
    private final List<String> complaints = new ArrayList<>();

    /** Returns the place in the order of arrival. */
    int arrived(SimProcess process, String name, CompletableFuture<?> request) {
        List<CompletableFuture<?>> all = waiting.computeIfAbsent(new Place(process, name), place -> new ArrayList<>());
        all.add(request);
        return all.size() - 1;
    }

    void served(SimProcess process, String name, int place) {
        for (CompletableFuture<?> earlier :
                waiting.getOrDefault(new Place(process, name), List.of()).subList(0, place)) {
            if (!earlier.isDone()) {
                complaints.add("Overtaken in the line of " + process + " for '" + name + "'");
                return;
            }
        }
    }

    List<String> complaints() {
        return complaints;
    }
}
