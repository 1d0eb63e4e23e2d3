package io.holdfast.soak;

/**
 * A write behind the fence, and what its writer was told.
 *
 * @param name the lock's name, which is the name of the data too
 * @param id of this write alone; begins with the writer
 * @param token what it came with
 * @param outcome what its writer was told
 */
record Write(String name, String id, long token, Outcome outcome) {

    enum Outcome {
        ACCEPTED,
        REJECTED,
        /** It failed, and may have been done. */
        UNKNOWN
    }

    /** One line, for the way from another process. */
    String toLine() {
        return String.join(" ", name, id, String.valueOf(token), outcome.name());
    }

    static Write ofLine(String line) {
        String[] words = line.split(" ", -1);
        return new Write(words[0], words[1], Long.parseLong(words[2]), Outcome.valueOf(words[3]));
    }
}
