package io.holdfast.redis;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.jspecify.annotations.Nullable;

/** What Holdfast writes to its log while this is open, with causes. */
final class LogLines extends Handler {

    private static final Logger LOG = Logger.getLogger("io.holdfast");

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final SimpleFormatter formatter = new SimpleFormatter();

    LogLines() {
        LOG.addHandler(this);
        LOG.setUseParentHandlers(false);
    }

    List<String> lines() {
        return lines;
    }

    List<String> warnings() {
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
        LOG.setUseParentHandlers(true);
        LOG.removeHandler(this);
    }

    /** All that a stack trace would show, and nothing for null. */
    static String printed(@Nullable Throwable thrown) {
        if (thrown == null) {
            return "";
        }
        StringWriter text = new StringWriter();
        thrown.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
