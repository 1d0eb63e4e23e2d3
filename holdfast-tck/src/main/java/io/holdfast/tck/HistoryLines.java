package io.holdfast.tck;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * What happened to one name, as lines of text on the way from one process to another.
 *
 * @param spans who believed to hold, and when
 * @param operations what the store was asked and what it said
 */
record HistoryLines(List<Span> spans, List<Operation> operations) {

    private static final String SPAN = "span";
    private static final String OPERATION = "operation";
    private static final String NO_TOKEN = "-";

    /** Without the name, which both sides know. */
    List<String> toLines() {
        List<String> lines = new ArrayList<>();
        spans.forEach(span -> lines.add(line(SPAN, span.token(), span.holder(), span.from(), span.to())));
        operations.forEach(each -> lines.add(line(
                OPERATION,
                each.kind(),
                each.client(),
                each.units(),
                each.token().isPresent() ? each.token().getAsLong() : NO_TOKEN,
                each.tokens(),
                each.outcome(),
                each.called(),
                each.returned())));
        return lines;
    }

    private static String line(Object... words) {
        List<String> text = new ArrayList<>();
        for (Object word : words) {
            text.add(String.valueOf(word));
        }
        return String.join("\t", text);
    }

    static HistoryLines ofLines(String name, List<String> lines) {
        HistoryLines history = new HistoryLines(new ArrayList<>(), new ArrayList<>());
        for (String line : lines) {
            String[] words = line.split("\t", -1);
            switch (words[0]) {
                case SPAN ->
                    history.spans.add(new Span(name, number(words[1]), words[2], number(words[3]), number(words[4])));
                case OPERATION -> history.operations.add(operation(name, words));
                default -> throw new IllegalArgumentException("Neither a span nor an operation: " + line);
            }
        }
        return history;
    }

    private static Operation operation(String name, String[] words) {
        return new Operation(
                Operation.Kind.valueOf(words[1]),
                name,
                words[2],
                Integer.parseInt(words[3]),
                words[4].equals(NO_TOKEN) ? OptionalLong.empty() : OptionalLong.of(number(words[4])),
                Integer.parseInt(words[5]),
                Operation.Outcome.valueOf(words[6]),
                number(words[7]),
                number(words[8]));
    }

    private static long number(String word) {
        return Long.parseLong(word);
    }
}
