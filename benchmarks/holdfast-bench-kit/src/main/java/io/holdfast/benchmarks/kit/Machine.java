package io.holdfast.benchmarks.kit;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What one has to know about the machine to read its numbers. */
public record Machine(String processor, int processors, String system) {

    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final Pattern MODEL = Pattern.compile("(?m)^model name\\s*:\\s*(.+)$");

    public static Machine current() {
        return new Machine(model(), Runtime.getRuntime().availableProcessors(), System.getProperty("os.name"));
    }

    /** How many threads have wanted a processor in the last minute; negative if nobody knows. */
    public static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }

    /** One line. */
    public String facts() {
        return "%s, %d processors, %s".formatted(processor, processors, system);
    }

    private static String model() {
        try {
            Matcher model = MODEL.matcher(Files.readString(PROCESSORS));
            if (model.find()) {
                return model.group(1).strip();
            }
        } catch (IOException notLinux) {
            // Other systems do not have the file; their architecture has to do.
        }
        return System.getProperty("os.arch");
    }
}
