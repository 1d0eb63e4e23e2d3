package io.holdfast.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Four processes (JVMs) that sell from one stock, which is a file. They share nothing else but the server or the file with
 * the locks. Closing the group ends them.
 */
final class ProcessGroup implements AutoCloseable {

    private static final int PROCESSES = 4;

    private final Path stock;
    private final List<Member> members = new ArrayList<>();

    private ProcessGroup(Path stock) {
        this.stock = stock;
    }

    /** Starts the processes. {@code stock} is the file that they sell from. */
    static ProcessGroup start(Path stock) {
        ProcessGroup group = new ProcessGroup(stock);
        try {
            for (int i = 0; i < PROCESSES; i++) {
                group.members.add(Member.start(stock));
            }
            return group;
        } catch (IOException failure) {
            group.close();
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Fills the stock, sends an equal part of {@code crowd} to a shop in each process, and counts.
     *
     * @param url where the locks are
     * @param received what the server has received so far; added to what the processes count themselves
     */
    Tally visit(Crowd crowd, Strategy strategy, String url, LongSupplier received) {
        AppleStock.fill(stock, crowd.stock());
        // One shop after the other, for one of the strategies creates its table without regard to concurrency.
        for (Member member : members) {
            member.send(ShopProcess.order(strategy, url, crowd.part(PROCESSES)));
            member.expect(ShopProcess.OPEN);
        }
        long before = received.getAsLong();
        long begin = System.nanoTime();
        members.forEach(member -> member.send("go"));
        int served = 0;
        int failed = 0;
        long commands = 0;
        for (Member member : members) {
            String[] result = member.receive().split(" ", -1);
            served += Integer.parseInt(result[0]);
            failed += Integer.parseInt(result[1]);
            commands += Long.parseLong(result[2]);
        }
        Duration elapsed = Duration.ofNanos(System.nanoTime() - begin);
        return new Tally(
                crowd.stock(),
                served,
                served * crowd.appetite(),
                AppleStock.read(stock),
                failed,
                elapsed,
                commands + received.getAsLong() - before);
    }

    List<ProcessHandle> processes() {
        return members.stream().map(member -> member.process().toHandle()).toList();
    }

    @Override
    public void close() {
        members.forEach(Member::close);
    }

    /** One process and the pipes to it. */
    private record Member(Process process, PrintWriter input, BufferedReader output) {

        static Member start(Path stock) throws IOException {
            Process process = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            ShopProcess.class.getName(),
                            stock.toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            return new Member(process, new PrintWriter(process.outputWriter(UTF_8), true), process.inputReader(UTF_8));
        }

        void send(String line) {
            input.println(line);
        }

        String receive() {
            try {
                String line = output.readLine();
                if (line == null) {
                    throw new IllegalStateException("Process " + process.pid() + " has ended early");
                }
                return line;
            } catch (IOException broken) {
                throw new UncheckedIOException(broken);
            }
        }

        void expect(String line) {
            String received = receive();
            if (!received.equals(line)) {
                throw new IllegalStateException("Process " + process.pid() + " printed: " + received);
            }
        }

        /** The end of the input ends the process; it is killed if it does not end in time. */
        void close() {
            input.close();
            try {
                if (!process.waitFor(10, TimeUnit.SECONDS)) {
                    process.destroyForcibly().waitFor();
                }
            } catch (InterruptedException interrupt) {
                process.destroyForcibly();
                Thread.currentThread().interrupt();
            }
        }
    }
}
