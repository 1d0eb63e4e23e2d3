package io.holdfast.simulator;

/** The connection of one process to the server: which of its directions are cut, and when it last failed to deliver. */
final class Link {

    /** Which way a message goes. */
    enum Direction {
        /** From the process to the server. */
        REQUESTS,
        /** From the server to the process. */
        ANSWERS
    }

    private final World world;
    private final SimProcess process;
    private long requestsCutUntil;
    private long answersCutUntil;
    private long answersSlowUntil;
    private long answersSlowBy;
    private long troubledUntil;

    Link(World world, SimProcess process) {
        this.world = world;
        this.process = process;
    }

    /** Drops every message of one direction for a while. */
    void cut(Direction direction, long duration) {
        world.trace(process.toString(), "is cut off for its " + direction + " for " + duration / World.MILLI + " ms");
        long until = world.now() + duration;
        if (direction == Direction.REQUESTS) {
            requestsCutUntil = Math.max(requestsCutUntil, until);
        } else {
            answersCutUntil = Math.max(answersCutUntil, until);
        }
    }

    /** Delays every answer that is sent within {@code duration} by {@code delay}. */
    void slowAnswers(long delay, long duration) {
        world.trace(process.toString(), "gets its answers " + delay / World.MILLI + " ms late");
        answersSlowBy = delay;
        answersSlowUntil = world.now() + duration;
    }

    void heal() {
        requestsCutUntil = 0;
        answersCutUntil = 0;
        answersSlowUntil = 0;
    }

    boolean isCut(Direction direction) {
        return world.now() < (direction == Direction.REQUESTS ? requestsCutUntil : answersCutUntil);
    }

    /** By how much a message that is sent now is late on this link alone. */
    long extraDelay(Direction direction) {
        return direction == Direction.ANSWERS && world.now() < answersSlowUntil ? answersSlowBy : 0;
    }

    /** A message was lost, or arrives late. */
    void troubled(long until) {
        troubledUntil = Math.max(troubledUntil, until);
    }

    /** Since when every message was delivered at once, in world time. */
    long fineSince() {
        return troubledUntil;
    }
}
