package io.holdfast.tck;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks the tokens of leases that several holders have together, by what the holders believed and when. */
final class SharedTokens {

    private SharedTokens() {}

    /**
     * Readers and writers of one name: a writer's token is above those of all readers and writers before it, a reader's above
     * those of all writers before it, and no writer holds while anybody else does. Readers may have one token together.
     */
    static List<String> checkReadersAndWriters(List<Span> readers, List<Span> writers) {
        List<String> violations = new ArrayList<>(TokenSweep.check(writers));
        for (Span reader : readers) {
            for (Span writer : writers) {
                boolean isReaderLater = writer.token() < reader.token();
                Span smaller = isReaderLater ? writer : reader;
                Span larger = isReaderLater ? reader : writer;
                if (writer.token() == reader.token()) {
                    violations.add("A reader and a writer have one token: " + reader + " and " + writer);
                } else if (larger.from() < smaller.to()) {
                    violations.add("The larger token began before the end of the smaller one: " + larger + " and "
                            + smaller + ", one a reader, the other a writer");
                }
            }
        }
        return violations;
    }

    /** Permits of one name: every lease has a token that no other lease has. */
    static List<String> checkPermits(List<Span> permits) {
        List<String> violations = new ArrayList<>();
        Map<Long, Span> byToken = new HashMap<>();
        for (Span permit : permits) {
            Span other = byToken.putIfAbsent(permit.token(), permit);
            if (other != null) {
                violations.add("Two leases of permits have one token: " + other + " and " + permit);
            }
        }
        return violations;
    }
}
