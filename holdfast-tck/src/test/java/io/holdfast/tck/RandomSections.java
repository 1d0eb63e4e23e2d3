package io.holdfast.tck;

import io.holdfast.tck.Operation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;

/** What clients of a mutex that works would see, if they took it in random order and waited random times. */
final class RandomSections {

    /** An acquire between {@code called} and {@code from}, a release between {@code to} and {@code returned}. */
    record Section(String client, long token, long called, long from, long to, long returned) {

        Section withToken(long other) {
            return new Section(client, other, called, from, to, returned);
        }

        /** Held from {@code begin} to {@code end} instead; the calls are made as much longer as that needs. */
        Section held(long begin, long end) {
            return new Section(client, token, Math.min(called, begin), begin, end, Math.max(returned, end));
        }

        Span span() {
            return new Span(Calls.NAME, token, client, from, to);
        }

        Operation acquire() {
            return Calls.acquire(client, token, called, from);
        }

        Operation release(Outcome outcome) {
            return Operation.release(Calls.NAME, client, OptionalLong.of(token), outcome, to, returned);
        }
    }

    private RandomSections() {}

    static List<Section> of(Random random, int clients, int count) {
        long[] idleSince = new long[clients];
        long freeSince = 0;
        long token = 0;
        List<Section> sections = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int client = random.nextInt(clients);
            long given = Math.max(freeSince, idleSince[client]) + random.nextInt(10);
            long called = given - random.nextLong(Math.min(given - idleSince[client], 200) + 1);
            long from = given + random.nextInt(10);
            long to = from + random.nextInt(10);
            long givenBack = to + random.nextInt(10);
            long returned = givenBack + random.nextInt(10);
            token += 1 + random.nextInt(3);
            sections.add(new Section("client-" + client, token, called, from, to, returned));
            idleSince[client] = returned;
            freeSince = givenBack;
        }
        return sections;
    }

    static List<Operation> operations(List<Section> sections) {
        List<Operation> operations = new ArrayList<>();
        for (Section section : sections) {
            operations.add(section.acquire());
            operations.add(section.release(Outcome.GRANTED));
        }
        return operations;
    }

    /** With time-outs: acquires that came to nothing, and every fiftieth release without an answer. */
    static List<Operation> operationsWithTimeOuts(List<Section> sections, Random random) {
        List<Operation> operations = new ArrayList<>();
        for (Section section : sections) {
            operations.add(section.acquire());
            operations.add(section.release(random.nextInt(50) == 0 ? Outcome.UNKNOWN : Outcome.GRANTED));
            operations.add(Calls.expire(section.client(), section.token(), section.called() + 100));
            if (random.nextInt(50) == 0) {
                String lost = "lost-" + random.nextInt(8);
                operations.add(Calls.acquireUnknown(lost, section.called()));
                operations.add(Operation.expire(Calls.NAME, lost, OptionalLong.empty(), section.called() + 100));
            }
        }
        return operations;
    }
}
