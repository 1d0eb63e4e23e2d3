package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A program that is run to its end. */
final class Command {

    private Command() {}

    /** Runs it with this input; fails with all that it printed when its exit code is not 0. */
    static void run(List<String> words, InputStream input) {
        try {
            Process process =
                    new ProcessBuilder(words).redirectErrorStream(true).start();
            CompletableFuture<String> said = CompletableFuture.supplyAsync(() -> outputOf(process));
            feed(process, input);
            int exit = process.onExit().join().exitValue();
            if (exit != 0) {
                throw new ServerException(words.get(0) + " ended with code " + exit + ":\n" + said.join());
            }
        } catch (IOException unstartable) {
            throw new ServerException(words.get(0) + " cannot be run", unstartable);
        }
    }

    /** Whether it can be run and ends with code 0. */
    static boolean succeeds(List<String> words) {
        try {
            run(words, InputStream.nullInputStream());
            return true;
        } catch (ServerException failed) {
            return false;
        }
    }

    private static void feed(Process process, InputStream input) throws IOException {
        byte[] buffer = new byte[1 << 16];
        try {
            int read = input.read(buffer);
            while (read >= 0 && taken(process, buffer, read)) {
                read = input.read(buffer);
            }
        } finally {
            closeInput(process);
        }
    }

    /** Whether the program still reads. If not, its exit code and its words tell why. */
    private static boolean taken(Process process, byte[] buffer, int length) {
        try {
            process.getOutputStream().write(buffer, 0, length);
            process.getOutputStream().flush();
            return true;
        } catch (IOException noReader) {
            return false;
        }
    }

    private static void closeInput(Process process) {
        try {
            process.getOutputStream().close();
        } catch (IOException noReader) {
            // Closed all the same.
        }
    }

    private static String outputOf(Process process) {
        try {
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }
}
