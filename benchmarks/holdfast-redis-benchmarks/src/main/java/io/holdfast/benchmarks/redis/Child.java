package io.holdfast.benchmarks.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The program of a forked JVM: does one task and prints the answer. Says {@link #READY} where the task has a cue, and waits
 * for {@link #GO}. Ends without closing anything, so that what is left behind by stuck threads does not hold it up.
 */
public final class Child {

    static final String READY = "READY";
    static final String GO = "GO";
    static final String DONE = "DONE";

    private Child() {}

    public static void main(String[] args) {
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Answer answer;
        try {
            List<String> task = List.of(args).subList(1, args.length);
            answer = Task.parse(task).run(Integer.parseInt(args[0]), () -> await(commands));
        } catch (Throwable failure) {
            failure.printStackTrace();
            answer = new Answer(Map.of(Answer.FAILURE, cause(failure).toString()));
        }
        System.out.print(answer.lines());
        System.out.println(DONE);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static void await(BufferedReader commands) {
        System.out.println(READY);
        System.out.flush();
        try {
            if (!GO.equals(commands.readLine())) {
                // The other side is gone; nobody wants to know any more.
                Runtime.getRuntime().halt(1);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure : cause(cause);
    }
}
