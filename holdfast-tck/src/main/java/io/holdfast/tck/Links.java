package io.holdfast.tck;

/**
 * Numbers from 0 on in a given order, linked so that any of them can be lifted out at no cost, and put back where it was as
 * long as this is done in the reverse order.
 */
final class Links {

    private final int[] before;
    private final int[] after;

    /** @param order each number from 0 to its length once */
    Links(int[] order) {
        before = new int[order.length + 1];
        after = new int[order.length + 1];
        int last = end();
        for (int number : order) {
            join(last, number);
            last = number;
        }
        join(last, end());
    }

    /** No number of the list: what follows the last one. */
    int end() {
        return after.length - 1;
    }

    int first() {
        return after[end()];
    }

    int after(int number) {
        return after[number];
    }

    void lift(int number) {
        join(before[number], after[number]);
    }

    void putBack(int number) {
        after[before[number]] = number;
        before[after[number]] = number;
    }

    private void join(int left, int right) {
        after[left] = right;
        before[right] = left;
    }
}
