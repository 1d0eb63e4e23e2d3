package io.holdfast.benchmarks.kit;

import java.lang.reflect.Method;

/** What kind of threads a crowd is made of. */
public enum ThreadKind {
    PLATFORM {
        @Override
        public void start(Runnable task) {
            Thread thread = new Thread(task, "visitor");
            thread.setDaemon(true);
            thread.start();
        }
    },

    /** Since JDK 21. */
    VIRTUAL {
        @Override
        public void start(Runnable task) {
            try {
                // This module is compiled for JDK 17, which does not know the method.
                Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
                start.invoke(null, task);
            } catch (ReflectiveOperationException absent) {
                throw new IllegalStateException("no virtual threads on JDK " + Runtime.version(), absent);
            }
        }
    };

    /** Starts a thread that does not keep the JVM alive. */
    public abstract void start(Runnable task);
}
