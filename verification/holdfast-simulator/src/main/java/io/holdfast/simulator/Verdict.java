package io.holdfast.simulator;

import io.holdfast.HoldfastException;
import io.holdfast.tck.Span;
import io.holdfast.tck.TokenSweep;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What is wrong with a history when it is over, and how much there was of what. */
final class Verdict {

    /** Of no name in any history. */
    private static final int ANOTHER_SIZE = 1_000;

    private final SimServer server;
    private final GrantHistory history;
    private final List<String> violations = new ArrayList<>();
    private final Map<Role, Integer> leases = new EnumMap<>(Role.class);

    Verdict(SimServer server, GrantHistory history) {
        this.server = server;
        this.history = history;
    }

    void add(String violation) {
        violations.add(violation);
    }

    List<String> violations() {
        return violations;
    }

    Map<Role, Integer> leases() {
        return leases;
    }

    /** Checks what was believed about one name. */
    void hear(Resource resource, List<Possession> beliefs) {
        List<Possession> its = new ArrayList<>();
        List<Span> alone = new ArrayList<>();
        for (Possession each : beliefs) {
            if (each.span().name().equals(resource.name())) {
                its.add(each);
                leases.merge(each.role(), 1, Integer::sum);
                if (each.role().isAlone()) {
                    alone.add(each.span());
                }
            }
        }
        violations.addAll(TokenSweep.check(alone, (earlier, later) -> forgotten(earlier, later.from())));
        if (resource.kind() != Resource.Kind.LOCK) {
            violations.addAll(
                    CapacitySweep.check(its, resource.capacity(), (earlier, now) -> forgotten(earlier.span(), now)));
        }
        long lost = resource.counter().lostUpdates();
        if (lost != 0) {
            violations.add("Lost updates behind the fence of '" + resource.name() + "': " + lost);
        }
    }

    /** In the end every name is nobody's: not in the server, and not in a process that is well. */
    void nothingIsLeft(List<Node> nodes, List<Resource> resources) {
        if (!server.process().isRunning()) {
            return;
        }
        server.leftovers().forEach(info -> violations.add("Left in the server: " + info));
        for (Node node : nodes) {
            if (node.isUp()) {
                resources.forEach(resource -> isNobodys(node, resource));
            }
        }
    }

    /** What nobody uses may be used in another size. */
    private void isNobodys(Node node, Resource resource) {
        try {
            boolean free = node.client()
                    .atOnce(() -> node.holdfast()
                            .semaphore(resource.name(), ANOTHER_SIZE)
                            .tryRun(lease -> {}));
            if (!free) {
                violations.add("Still taken in the end: '" + resource.name() + "' for " + node);
            }
        } catch (HoldfastException inUse) {
            violations.add("Left in " + node + ": " + inUse.getMessage());
        }
    }

    private boolean forgotten(Span earlier, long now) {
        return history.isDropped(earlier.name(), earlier.token(), now);
    }
}
