package io.holdfast.soak;

import io.holdfast.Lease;
import java.util.List;
import java.util.Optional;

/** Where one process gets its locks. */
interface Locker extends AutoCloseable {

    /** Asks for it as it is wished; empty if it was not to be had in time. */
    Optional<Possession> obtain(Wish wish);

    @Override
    void close();

    /** What was wished for: a lease for each name, and the way to give them all back. */
    record Possession(List<Lease> leases, Runnable giveBack) {}
}
