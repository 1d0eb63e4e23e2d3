package io.holdfast;

/**
 * Who stands behind a claim, for people.
 *
 * @param host the machine
 * @param pid the process
 * @param application the label of the {@code Holdfast}; empty if none was given
 * @param label the label of the acquisition, such as a user id; empty if none was given
 */
public record Owner(String host, long pid, String application, String label) {

    /** {@code orders@web-3[4711] "guest 42"}: application, host, pid and label, as far as they are known. */
    @Override
    public String toString() {
        String where = host + '[' + pid + ']';
        String who = application.isEmpty() ? where : application + '@' + where;
        return label.isEmpty() ? who : who + " \"" + label + '"';
    }
}
