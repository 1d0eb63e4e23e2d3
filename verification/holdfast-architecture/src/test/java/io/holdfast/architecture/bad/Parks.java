package io.holdfast.architecture.bad;

import java.util.concurrent.locks.LockSupport;

/** Parks. */
public final class Parks {

    void withoutEnd() {
        LockSupport.park(this);
    }

    void forAWhile() {
        LockSupport.parkNanos(1);
    }

    void untilADate() {
        LockSupport.parkUntil(1);
    }
}
