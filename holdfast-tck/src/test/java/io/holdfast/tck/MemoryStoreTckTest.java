package io.holdfast.tck;

import io.holdfast.internal.memory.MemoryStoreProvider;
import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

class MemoryStoreTckTest extends LockStoreTck {

    private final String url = "memory:" + UUID.randomUUID();
    private final AtomicLong commands = new AtomicLong();

    @Override
    protected LockStore open(Environment environment) {
        return new CountingStore(new MemoryStoreProvider().open(url, environment), commands);
    }

    @Override
    protected OptionalLong commandsSent() {
        return OptionalLong.of(commands.get());
    }

    /** A call is executed before it returns. */
    @Override
    protected boolean requestsCanOvertake() {
        return false;
    }
}
