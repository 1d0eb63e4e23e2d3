package io.holdfast.testkit;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/** What is written to the log while this is open, with causes. */
public final class LogLines extends Handler implements AutoCloseable {

    private final Logger log;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final SimpleFormatter formatter = new SimpleFormatter();

    private LogLines(Logger log) {
        this.log = log;
        log.addHandler(this);
    }

    public static LogLines ofHoldfast() {
        return new LogLines(Logger.getLogger("io.holdfast"));
    }

    public static LogLines ofAll() {
        return new LogLines(Logger.getLogger(""));
    }

    public List<String> lines() {
        return lines;
    }

    public List<String> warnings() {
        return lines.stream().filter(line -> line.startsWith("WARNING ")).toList();
    }

    @Override
    public void publish(LogRecord line) {
        lines.add(line.getLevel() + " " + formatter.formatMessage(line) + printed(line.getThrown()));
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        log.removeHandler(this);
    }

    /** All that a stack trace would show, and nothing for null. */
    public static String printed(@Nullable Throwable thrown) {
        if (thrown == null) {
            return "";
        }
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
