package io.holdfast.internal.handle;

import io.holdfast.Lease;
import io.holdfast.LeaseSet;
import java.util.List;

/** A re-entrant call under several locks that the current thread holds already. */
record ReentrySet(List<Reentry<Lease>> entered) implements Reentry<LeaseSet> {

    @Override
    public LeaseSet view() {
        return new NestedLeases(
                entered.stream().map(each -> (NestedLease) each.view()).toList());
    }

    @Override
    public void leave() {
        RuntimeException first = null;
        for (int i = entered.size() - 1; i >= 0; i--) {
            try {
                entered.get(i).leave();
            } catch (RuntimeException lost) {
                if (first == null) {
                    first = lost;
                } else {
                    first.addSuppressed(lost);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }
}
