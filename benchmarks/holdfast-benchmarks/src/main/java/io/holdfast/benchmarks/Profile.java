package io.holdfast.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedClass;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;

/** What a flight recording says about where the time and the memory went. */
record Profile(Map<String, Long> methods, Map<String, Long> classes, Map<String, Long> places) {

    private static final int LINES = 10;

    static Profile read(Path recording) throws IOException {
        Profile profile = new Profile(new HashMap<>(), new HashMap<>(), new HashMap<>());
        try (RecordingFile file = new RecordingFile(recording)) {
            while (file.hasMoreEvents()) {
                profile.add(file.readEvent());
            }
        }
        return profile;
    }

    private void add(RecordedEvent event) {
        RecordedStackTrace stack = event.getStackTrace();
        switch (event.getEventType().getName()) {
            case "jdk.ExecutionSample" -> methods.merge(top(stack), 1L, Long::sum);
            case "jdk.ObjectAllocationSample" -> {
                RecordedClass type = event.getClass("objectClass");
                classes.merge(type.getName(), event.getLong("weight"), Long::sum);
                places.merge(top(stack), event.getLong("weight"), Long::sum);
            }
            default -> {
                // The recording has many more events, which do not answer the question.
            }
        }
    }

    private static String top(@Nullable RecordedStackTrace stack) {
        if (stack == null || stack.getFrames().isEmpty()) {
            return "unknown";
        }
        RecordedFrame frame = stack.getFrames().get(0);
        RecordedMethod method = frame.getMethod();
        return method.getType().getName() + "." + method.getName();
    }

    /** The largest shares, as text. */
    String text() {
        List<String> lines = new ArrayList<>();
        list("time in", methods, lines);
        list("bytes of", classes, lines);
        list("bytes allocated in", places, lines);
        return String.join("\n", lines);
    }

    private static void list(String heading, Map<String, Long> shares, List<String> lines) {
        double whole = shares.values().stream().mapToLong(Long::longValue).sum();
        lines.add("  " + heading);
        shares.entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .limit(LINES)
                .forEach(share ->
                        lines.add("    %3.0f %%  %s".formatted(100 * share.getValue() / whole, share.getKey())));
    }
}
