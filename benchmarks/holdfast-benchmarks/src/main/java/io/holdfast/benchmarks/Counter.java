package io.holdfast.benchmarks;

/** A plain number, written twice. It loses updates if two threads change it at once, and readers may see half a change. */
final class Counter implements Thing {

    private long first;
    private long second;
    private volatile boolean torn;

    @Override
    public long change() {
        first++;
        return ++second;
    }

    @Override
    public long look() {
        long seen = first;
        if (seen != second) {
            torn = true;
        }
        return seen;
    }

    @Override
    public void check(long changes) {
        if (first != changes || second != changes) {
            throw new IllegalStateException(
                    (changes - Math.min(first, second)) + " of " + changes + " updates are lost");
        }
        if (torn) {
            throw new IllegalStateException("a reader has seen half a change");
        }
    }
}
