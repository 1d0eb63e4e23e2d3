package io.holdfast.tck;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * This process and two more JVMs, which compete for one name on the same store through the engine. One of them dies with a lease.
 * What they have recorded is judged together.
 */
final class ProcessContention {

    /** Long enough for all of them to be at work at the same time. */
    private static final Duration TIME = Duration.ofMillis(400);

    private final String name;
    private final StoreAddress address;
    private final List<Span> spans = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();

    ProcessContention(String name, StoreAddress address) {
        this.name = name;
        this.address = address;
    }

    /**
     * {@code client} is of this process. It is granted the name last of all.
     *
     * @param lease of the one that dies
     */
    void run(Client client, Duration lease) throws Exception {
        CommonClock clock = CommonClock.ofThisProcess();
        ProcessTurns here = new ProcessTurns("this process", name, client);
        List<ChildProcess> children = new ArrayList<>();
        try {
            children.add(ChildProcess.start(orders("child-1", client, TIME, lease, ChildMain.Fate.ENDS)));
            children.add(ChildProcess.start(
                    orders("child-2", client, TIME.dividedBy(4), lease, ChildMain.Fate.DIES_HOLDING)));
            children.forEach(ChildProcess::awaitReady);
            children.forEach(ChildProcess::go);
            here.takeTurns(TIME);
            for (ChildProcess child : children) {
                add(HistoryLines.ofLines(name, child.report()));
            }
        } finally {
            children.forEach(ChildProcess::close);
        }
        here.acquire(lease);
        add(here.recorded(clock));
    }

    private ChildMain.Orders orders(String who, Client client, Duration time, Duration lease, ChildMain.Fate fate) {
        return new ChildMain.Orders(
                who, address.provider().getName(), address.url(), name, client.patience(), time, lease, fate);
    }

    private void add(HistoryLines recorded) {
        spans.addAll(recorded.spans());
        operations.addAll(recorded.operations());
    }

    /** What the processes have seen, by their tokens; and what the store has answered, by its tokens and the model of a lock. */
    List<String> violations() {
        List<String> violations = new ArrayList<>(TokenSweep.check(spans));
        violations.addAll(TokenBlocks.check(operations));
        violations.addAll(Linearizability.check(Model.fencedMutex(), operations).violations());
        return violations;
    }

    int sections() {
        return spans.size();
    }
}
