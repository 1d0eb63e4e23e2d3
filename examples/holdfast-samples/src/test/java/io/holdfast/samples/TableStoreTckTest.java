package io.holdfast.samples;

import io.holdfast.spi.Environment;
import io.holdfast.spi.LockStore;
import io.holdfast.tck.LockStoreTck;
import java.time.InstantSource;

// region binding
class TableStoreTckTest extends LockStoreTck {

    private final LockTable table = new LockTable(InstantSource.system());

    @Override
    protected LockStore open(Environment environment) {
        return TableStores.open(table, environment);
    }
}
// endregion
