package io.holdfast.tck;

import io.holdfast.spi.Ticker;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Records who believed to hold what, and when. Thread-safe. Call {@link #begin} after the acquiring call has returned and
 * {@link #end} before the releasing call, so that an overlap in here is an overlap out there: these spans are for
 * {@link TokenSweep}. Calls with their answers, for {@link Linearizability}, are recorded one by one with {@link #add}.
 */
public final class History {

    private record Key(String name, long token, String holder) {}

    private final Ticker ticker;
    private final Map<Key, Long> open = new ConcurrentHashMap<>();
    private final Queue<Span> spans = new ConcurrentLinkedQueue<>();
    private final Queue<Operation> operations = new ConcurrentLinkedQueue<>();

    /** A history on {@code ticker}. */
    public History(Ticker ticker) {
        this.ticker = ticker;
    }

    /** {@code holder} has the lease now. */
    public void begin(String name, long token, String holder) {
        Long earlier = open.put(new Key(name, token, holder), ticker.nanos());
        if (earlier != null) {
            throw new IllegalStateException(holder + " was given token " + token + " of '" + name + "' twice");
        }
    }

    /** {@code holder} is about to give it back, or has been told that it is lost. */
    public void end(String name, long token, String holder) {
        Long from = open.remove(new Key(name, token, holder));
        if (from == null) {
            throw new IllegalStateException(holder + " ends token " + token + " of '" + name + "' without having it");
        }
        spans.add(new Span(name, token, holder, from, ticker.nanos()));
    }

    /** All spans that have ended. */
    public List<Span> spans() {
        return new ArrayList<>(spans);
    }

    /** A call that is over, or will not be answered any more. */
    public void add(Operation operation) {
        operations.add(operation);
    }

    /** All operations, by the time of their call. */
    public List<Operation> operations() {
        return operations.stream()
                .sorted(Comparator.comparingLong(Operation::called))
                .toList();
    }

    /**
     * The first operations, at most {@code most}, cut so that the beginning of a correct history is correct too: of the
     * calls that were under way at the cut, acquires are left out, and of releases it is not known whether they were
     * carried out.
     */
    public List<Operation> operations(int most) {
        List<Operation> all = operations();
        if (all.size() <= most) {
            return all;
        }
        long cut = all.get(most).called();
        return all.subList(0, most).stream()
                .filter(each -> each.called() < cut)
                .filter(each ->
                        each.kind() != Operation.Kind.ACQUIRE || each.returned() < cut || each.mayNotHaveHappened())
                .map(each -> each.returned() < cut ? each : each.withoutAnswer())
                .toList();
    }
}
