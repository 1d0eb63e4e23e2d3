package io.holdfast.tck;

import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** At most one owner, who may hold several times up to a limit. */
record MutexModel(int limit, Tokens tokens) implements Model<MutexModel.State> {

    enum Tokens {
        ONLY_IDENTIFY,
        GROW
    }

    record State(@Nullable String owner, OptionalLong token, int count, long highest) {

        State freed() {
            return new State(null, OptionalLong.empty(), 0, highest);
        }

        State held(int times) {
            return times == 0 ? freed() : new State(owner, token, times, highest);
        }

        /** Whether a renewal, a release, a revocation or an expiry is about this. */
        boolean isMeantBy(Operation operation) {
            return operation.client().equals(owner) && operation.isAbout(token);
        }

        @Override
        public String toString() {
            String past = highest == Long.MIN_VALUE ? "" : ", highest token so far " + highest;
            return owner == null
                    ? "free" + past
                    : "held by " + owner + (count > 1 ? " " + count + " times" : "")
                            + (token.isPresent() ? " with token " + token.getAsLong() : "") + past;
        }
    }

    @Override
    public State initial() {
        return new State(null, OptionalLong.empty(), 0, Long.MIN_VALUE);
    }

    @Override
    public Optional<State> after(State state, Operation operation) {
        if (operation.kind() == Operation.Kind.ACQUIRE) {
            return acquired(state, operation);
        }
        boolean holds = state.isMeantBy(operation);
        if (operation.outcome() == Operation.Outcome.REFUSED) {
            return holds ? Optional.empty() : Optional.of(state);
        }
        if (!holds) {
            return Optional.empty();
        }
        return Optional.of(
                switch (operation.kind()) {
                    case ACQUIRE, RENEW -> state;
                    case RELEASE -> state.held(state.count - 1);
                    case REVOKE, EXPIRE -> state.freed();
                });
    }

    private Optional<State> acquired(State state, Operation operation) {
        String client = operation.client();
        OptionalLong token = operation.token();
        boolean again = state.count > 0;
        if (again && (state.count == limit || !client.equals(state.owner))) {
            return Optional.empty();
        }
        if (token.isEmpty() || state.token.equals(token)) {
            return Optional.of(new State(client, state.token, state.count + 1, state.highest));
        }
        boolean isOther = state.token.isPresent();
        boolean isTooSmall = tokens == Tokens.GROW && token.getAsLong() <= state.highest;
        long highest = tokens == Tokens.GROW ? operation.lastToken() : state.highest;
        return isOther || isTooSmall
                ? Optional.empty()
                : Optional.of(new State(client, token, state.count + 1, highest));
    }
}
