package io.holdfast.benchmarks.kit;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
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
            answer = Task.parse(args[0]).run(() -> await(commands));
        } catch (Throwable failure) {
            failure.printStackTrace();
            answer = new Answer(Map.of(Answer.FAILURE, cause(failure).toString()));
        }
        say(answer.lines() + DONE);
        Runtime.getRuntime().halt(0);
    }

    private static void await(BufferedReader commands) {
        say(READY);
        try {
            if (!GO.equals(commands.readLine())) {
                // The other side is gone; nobody wants to know any more.
                Runtime.getRuntime().halt(1);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** In the encoding that the other side reads, whatever the machine prefers. */
    private static void say(String text) {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
        out.println(text);
        out.flush();
    }

    private static Throwable cause(Throwable failure) {
        Throwable cause = failure.getCause();
        return cause == null ? failure : cause(cause);
    }
}
