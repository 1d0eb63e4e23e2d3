package io.holdfast.monitoring;

/**
 * The process and the acquisition that a claim belongs to, for people.
 *
 * @param host the host name
 * @param pid the process id
 * @param application the label of the {@code Holdfast}; empty if none was given
 * @param label the label of the acquisition, such as a user id; empty if none was given
 */
public record Owner(String host, long pid, String application, String label) {

    /** {@code orders@web-3[4711] "guest 42"}: application, host, pid and label, as far as they are known. */
    @Override
    public String toString() {
        String process = host + '[' + pid + ']';
        String text = application.isEmpty() ? process : application + '@' + process;
        return label.isEmpty() ? text : text + " \"" + label + '"';
    }
}
