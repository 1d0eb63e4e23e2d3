package io.holdfast.benchmarks.redis;

/** What happens to a queue before it is served. */
enum Queueing {
    /** Claims come one by one, so that one can tell what the server does for each. */
    ONE_BY_ONE("Holdfast", 1, true),
    /** The same in a short queue. */
    FEW("Holdfast, a hundredth of the claims", 100, true),
    /** All claims of a client are sent at once. */
    TOGETHER("Holdfast, all at once", 1, true),
    /** After that, all of three of the four clients give up their places, the last first, and leave gaps. */
    GIVING_UP("Holdfast, three quarters give up", 1, true),
    /** After that, three of the four clients go away, and nobody hears that it is the turn of their claims. */
    DYING("Holdfast, three quarters go deaf", 1, true),
    /** As all at once, but the client does not leave the processors to the server. */
    CROWDED("Holdfast, all at once, client as important as server", 1, false);

    private final String row;
    private final int divisor;
    private final boolean modest;

    Queueing(String row, int divisor, boolean modest) {
        this.row = row;
        this.divisor = divisor;
        this.modest = modest;
    }

    /** As the table shows it. */
    String row() {
        return row;
    }

    /** How many claims come if there are usually so many. */
    int claims(int usual) {
        return Math.max(usual / divisor, WaitingTask.CLIENTS);
    }

    boolean isModest() {
        return modest;
    }

    boolean isOneByOne() {
        return this == ONE_BY_ONE || this == FEW;
    }
}
