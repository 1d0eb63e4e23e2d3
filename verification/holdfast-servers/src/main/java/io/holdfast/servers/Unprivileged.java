package io.holdfast.servers;

import io.holdfast.servers.ServerHome.Step;
import java.nio.file.Path;
import java.util.List;

/**
 * How to run a program that refuses to run as root, which it may be here.
 *
 * @param prefix the words in front of the program's own
 * @param adoption the words in front of the name of a folder, to make that the program's own; none if all files are
 */
record Unprivileged(List<String> prefix, List<String> adoption) {

    /*
     * In a user namespace root is nobody, yet its files stay its own. The namespace for shared memory of System V is for any
     * user: a server that is killed leaves a small segment, and the kernel removes that with the last process.
     */
    static final Unprivileged NAMESPACE = new Unprivileged(List.of("unshare", "--user", "--ipc"), List.of());

    /** Where namespaces are forbidden, as in most containers: another user, whose number is that of nobody. */
    static final Unprivileged NOBODY = new Unprivileged(
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"),
            List.of("chown", "-R", "65534:65534"));

    static final Unprivileged SELF = new Unprivileged(List.of(), List.of());

    private static final class Here {

        static final Unprivileged BEST = best();

        private static Unprivileged best() {
            if (Command.succeeds(Words.of(NAMESPACE.prefix(), "true"))) {
                return NAMESPACE;
            }
            return UserFolder.user() == 0 ? NOBODY : SELF;
        }
    }

    /** The one for this machine and user. */
    static Unprivileged here() {
        return Here.BEST;
    }

    /** What makes a folder, with all in it, the program's own. */
    List<Step> adopting(Path folder) {
        return adoption.isEmpty() ? List.of() : List.of(new Step(Words.of(adoption, folder.toString()), ""));
    }
}
