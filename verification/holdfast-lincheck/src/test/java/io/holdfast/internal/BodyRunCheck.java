package io.holdfast.internal;

import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/** A body may be interrupted while it runs; afterwards its thread is never interrupted. */
public class BodyRunCheck implements Check {

    private final AtomicReference<@Nullable BodyRun> running = new AtomicReference<>();
    private volatile boolean strayInterrupt;

    @Operation
    public void run() {
        // A bug may have left the thread interrupted in the execution before; Lincheck uses its threads again.
        Thread.interrupted();
        BodyRun body = new BodyRun(null);
        running.set(body);
        body.end(null);
        somethingElse();
    }

    @Operation
    public void somethingElse() {
        if (Thread.interrupted()) {
            strayInterrupt = true;
        }
    }

    @Operation
    public void interrupt() {
        BodyRun body = running.get();
        if (body != null) {
            body.interrupt();
        }
    }

    @Validate
    public void settled() {
        settle();
    }

    @Override
    public void settle() {
        if (strayInterrupt) {
            throw new IllegalStateException("interrupted after its end");
        }
    }

    @Override
    public void rehearse() {
        run();
        interrupt();
        settle();
    }
}
