package io.holdfast.architecture.bad;

import java.util.concurrent.TimeUnit;

/** Sleeps. */
public final class Sleeps {

    void onAThread() throws InterruptedException {
        Thread.sleep(1);
    }

    void inAUnit() throws InterruptedException {
        TimeUnit.SECONDS.sleep(1);
    }
}
