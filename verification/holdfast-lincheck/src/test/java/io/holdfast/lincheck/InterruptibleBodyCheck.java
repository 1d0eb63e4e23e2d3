package io.holdfast.lincheck;

import io.holdfast.internal.handle.InterruptibleBody;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;

/** A body may be interrupted while it runs; afterwards its thread is never interrupted. */
public class InterruptibleBodyCheck implements Check {

    private final AtomicReference<@Nullable InterruptibleBody> running = new AtomicReference<>();
    private volatile boolean strayInterrupt;

    @Operation
    public void run() {
        // A bug may have left the thread interrupted in the execution before; Lincheck uses its threads again.
        Thread.interrupted();
        InterruptibleBody body = new InterruptibleBody(null);
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
        InterruptibleBody body = running.get();
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
