package io.holdfast.lincheck;

import io.holdfast.LockTimeoutException;
import io.holdfast.StoreUnavailableException;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Param;

/** An exclusive lock on a store without short cuts, with waits that end before a lease does: grant and time-out meet. */
@Param(name = "which", gen = IntGen.class, conf = "0:1")
public class TimeLimitedCheck extends ExclusiveCheck {

    public TimeLimitedCheck() {
        super(AskedStore::new, LEASE.dividedBy(4));
    }

    @Override
    boolean isFair(Throwable failure) {
        // To a claim that time overtakes on its way, the store seems to take longer than there was to wait.
        return failure instanceof LockTimeoutException
                || failure instanceof StoreUnavailableException
                || super.isFair(failure);
    }
}
