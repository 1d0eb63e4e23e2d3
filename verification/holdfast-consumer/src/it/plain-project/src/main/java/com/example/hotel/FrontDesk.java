package com.example.hotel;

import io.holdfast.DistributedLock;
import io.holdfast.Holdfast;
import io.holdfast.Lease;
import java.util.ArrayList;
import java.util.List;

/** Gives out the rooms of a hotel, one guest at a time. */
final class FrontDesk {

    private final DistributedLock lock;
    private final List<String> guests = new ArrayList<>();

    FrontDesk(Holdfast holdfast) {
        this.lock = holdfast.lock("hotel:42");
    }

    /** Takes the next room for {@code guest}; returns its number. */
    int checkIn(String guest) {
        return lock.call(lease -> {
            guests.add(guest + " under token " + lease.token());
            return guests.size();
        });
    }

    /** Closes the desk for as long as the lease is held. */
    Lease takeABreak() {
        return lock.acquire();
    }

    boolean isOpen() {
        return lock.inspect().isFree();
    }
}
