package io.holdfast.soak;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks what stands behind the fence against what the writers were told. The data of a name is a list; each writer looks how
 * long it is, works, and appends what it saw. So a writer that had not seen all before it shows, which is a lost update.
 */
final class FencedWrites {

    private final Map<String, Write> byId = new HashMap<>();
    private final Set<String> killed;
    private final List<String> violations = new ArrayList<>();

    private FencedWrites(List<Write> writes, Set<String> killed) {
        writes.forEach(write -> byId.put(write.id(), write));
        this.killed = killed;
    }

    /** An entry of the list. */
    record Entry(long token, String id, long seen) {

        static Entry parse(String text) {
            String[] words = text.split(" ", -1);
            return new Entry(Long.parseLong(words[0]), words[1], Long.parseLong(words[2]));
        }

        String text() {
            return token + " " + id + " " + seen;
        }
    }

    /**
     * What is wrong; empty if nothing is.
     *
     * @param data the list of each name
     * @param writes what was reported
     * @param killed the processes that may have written without having told
     */
    static List<String> check(Map<String, List<Entry>> data, List<Write> writes, Set<String> killed) {
        FencedWrites check = new FencedWrites(writes, killed);
        Set<String> there = new HashSet<>();
        data.forEach((name, list) -> check.list(name, list, there));
        for (Write write : writes) {
            if (write.outcome() == Write.Outcome.ACCEPTED && !there.contains(write.id())) {
                check.violations.add("Accepted, and not there: " + write);
            }
        }
        return check.violations;
    }

    private void list(String name, List<Entry> list, Set<String> there) {
        Entry before = null;
        for (int i = 0; i < list.size(); i++) {
            Entry entry = list.get(i);
            String place = "'" + name + "' number " + i + ": " + entry;
            if (before != null && entry.token() < before.token()) {
                violations.add("A smaller token after a larger one: " + place + " after " + before);
            }
            if (entry.seen() != i) {
                violations.add("Lost update, it had seen " + entry.seen() + " entries: " + place);
            }
            if (!there.add(entry.id())) {
                violations.add("Written twice: " + place);
            }
            told(entry, byId.get(entry.id()), place);
            before = entry;
        }
    }

    private void told(Entry entry, @Nullable Write write, String place) {
        if (write == null) {
            if (killed.stream().noneMatch(process -> entry.id().startsWith(process + "."))) {
                violations.add("Nobody has reported " + place);
            }
        } else if (write.outcome() == Write.Outcome.REJECTED) {
            violations.add("Rejected, and there: " + place);
        }
    }
}
