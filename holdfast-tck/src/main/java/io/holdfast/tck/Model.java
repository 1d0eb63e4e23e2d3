package io.holdfast.tck;

import java.util.Optional;

/**
 * What one lock does when its calls come one after the other. {@link Linearizability} asks whether calls that overlapped
 * can be explained by such an order.
 *
 * <p>States are immutable, with {@code equals} and {@code hashCode}, and a {@code toString} that people can read. The search
 * relies on two things to leave aside what would explain nothing: an acquire of unknown outcome makes legal only what its own
 * client does later; and an operation with a token can only keep or end what its client has acquired with that token. A
 * revocation is shown as one of the client whose token it names.
 *
 * <p>A refused acquire is never shown to a model, because it is never wrong: a store may refuse a free name while others
 * wait for it. A refused release, renewal or revocation is: it says that there was no such hold at that moment.
 *
 * @param <S> the state of the lock
 */
public interface Model<S> {

    /** Before the first call. */
    S initial();

    /** The state after {@code operation} was carried out in {@code state}, or empty if it could not have been. */
    Optional<S> after(S state, Operation operation);

    /** One holder at a time, and only the holder gives back or keeps. Tokens, if there are any, need not grow. */
    static Model<?> mutex() {
        return new MutexModel(1, MutexModel.Tokens.ONLY_IDENTIFY);
    }

    /** As {@link #mutex()}, but the holder may acquire up to {@code limit} times and gives back as often. */
    static Model<?> reentrantMutex(int limit) {
        return new MutexModel(limit, MutexModel.Tokens.ONLY_IDENTIFY);
    }

    /** One holder at a time, each with a block of tokens that begins above the end of all blocks before. */
    static Model<?> fencedMutex() {
        return new MutexModel(1, MutexModel.Tokens.GROW);
    }

    /** As {@link #fencedMutex()}, but the holder may acquire up to {@code limit} times, always with the same token. */
    static Model<?> reentrantFencedMutex(int limit) {
        return new MutexModel(limit, MutexModel.Tokens.GROW);
    }

    /**
     * Readers take one unit and share, each with a block of tokens above the end of all writers' blocks before; a writer takes
     * all {@code capacity} units, with a block above the end of all before.
     */
    static Model<?> readWrite(int capacity) {
        return new SharingModel(capacity, SharingModel.Whole.IS_A_WRITER);
    }

    /**
     * {@code permits} units, of which each acquire takes as many as it says. A release gives back those of its token. Tokens
     * need not grow in this model; {@link TokenBlocks} checks them.
     */
    static Model<?> semaphore(int permits) {
        return new SharingModel(permits, SharingModel.Whole.IS_LIKE_ANY);
    }
}
