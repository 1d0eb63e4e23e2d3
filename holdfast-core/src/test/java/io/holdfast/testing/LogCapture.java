package io.holdfast.testing;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What Holdfast writes to its log while this is open. */
public final class LogCapture extends Handler implements AutoCloseable {

    private static final Logger LOG = Logger.getLogger("io.holdfast");

    private final List<String> messages = new CopyOnWriteArrayList<>();

    public LogCapture() {
        LOG.addHandler(this);
        LOG.setUseParentHandlers(false);
    }

    public List<String> messages() {
        return messages;
    }

    @Override
    public void publish(LogRecord line) {
        messages.add(line.getLevel() + " " + line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        LOG.setUseParentHandlers(true);
        LOG.removeHandler(this);
    }
}
