package io.holdfast;

/** The {@link Holdfast} is closed, or was closed while the caller waited. */
public final class HoldfastClosedException extends HoldfastException {

    private static final long serialVersionUID = 1L;

    /** For an acquisition of {@code lockName}. */
    public HoldfastClosedException(String lockName, String storeName) {
        super(lockName, storeName, "This Holdfast is closed. Keep one open for as long as its locks are used.", null);
    }
}
