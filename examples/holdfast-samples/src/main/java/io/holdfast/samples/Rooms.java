package io.holdfast.samples;

// region fence
import io.holdfast.Fence;
import io.holdfast.StaleTokenException;
// endregion
import java.util.ArrayList;
import java.util.List;

/** The rooms of one hotel: what a lock guards, with a fence at the data. */
public final class Rooms {

    private final int total;
    private final List<String> guests = new ArrayList<>();
    private final Fence fence = new Fence("hotel:42");

    /** So many rooms, all of them free. */
    public Rooms(int total) {
        this.total = total;
    }

    // region fence
    /**
     * Gives the guest a room.
     *
     * @throws StaleTokenException if a later holder of the lock has been here already
     */
    public void reserve(long token, String guest) {
        fence.guard(token, () -> guests.add(guest));
    }
    // endregion

    /** How many rooms are free. */
    public int free() {
        return total - guests.size();
    }

    /** Who stays here. */
    public List<String> guests() {
        return List.copyOf(guests);
    }
}
