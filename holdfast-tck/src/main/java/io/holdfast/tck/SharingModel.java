package io.holdfast.tck;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Any number of holders, as long as their units fit the capacity. */
record SharingModel(int capacity, Whole whole) implements Model<SharingModel.State> {

    /** What is special about a claim for the whole capacity: a writer's token is above all, a reader's above all writers'. */
    enum Whole {
        IS_LIKE_ANY,
        IS_A_WRITER
    }

    record Hold(String client, OptionalLong token, int units) {

        boolean isOf(Operation operation) {
            return client.equals(operation.client()) && operation.isAbout(token);
        }

        /** Units never grow. */
        Hold keeping(int most) {
            return new Hold(client, token, Math.min(units, most));
        }

        @Override
        public String toString() {
            return client + (token.isPresent() ? " with token " + token.getAsLong() : "") + " (" + units + ")";
        }
    }

    /** Holds are kept in order, so that the same holds make the same state, whoever came first. */
    record State(List<Hold> holds, long highest, long highestOfWriters) {

        private static final Comparator<Hold> ORDER = Comparator.comparing(Hold::client)
                .thenComparingLong(hold -> hold.token().orElse(Long.MIN_VALUE))
                .thenComparingInt(Hold::units);

        State with(Hold hold) {
            List<Hold> more = new ArrayList<>(holds);
            more.add(hold);
            more.sort(ORDER);
            return new State(List.copyOf(more), highest, highestOfWriters);
        }

        State noting(long lastToken, boolean ofWriter) {
            return new State(holds, Math.max(highest, lastToken), ofWriter ? lastToken : highestOfWriters);
        }

        State without(Hold hold) {
            List<Hold> fewer = new ArrayList<>(holds);
            fewer.remove(hold);
            return new State(List.copyOf(fewer), highest, highestOfWriters);
        }

        int units() {
            return holds.stream().mapToInt(Hold::units).sum();
        }

        /** The hold that an operation is about. One that does not name a token is rather about one that has none. */
        Optional<Hold> holdOf(Operation operation) {
            return holds.stream()
                    .filter(hold -> hold.isOf(operation))
                    .max(Comparator.comparing(hold -> hold.token().equals(operation.token())));
        }

        @Override
        public String toString() {
            String past = highest == Long.MIN_VALUE ? "" : ", highest token so far " + highest;
            return (holds.isEmpty() ? "free" : units() + " taken by " + holds) + past;
        }
    }

    @Override
    public State initial() {
        return new State(List.of(), Long.MIN_VALUE, Long.MIN_VALUE);
    }

    @Override
    public Optional<State> after(State state, Operation operation) {
        if (operation.kind() == Operation.Kind.ACQUIRE) {
            return acquired(state, operation);
        }
        Optional<Hold> hold = state.holdOf(operation);
        if (operation.outcome() == Operation.Outcome.REFUSED) {
            return hold.isPresent() ? Optional.empty() : Optional.of(state);
        }
        return operation.kind() == Operation.Kind.RENEW
                ? hold.map(held -> state.without(held).with(held.keeping(operation.units())))
                : hold.map(state::without);
    }

    private Optional<State> acquired(State state, Operation operation) {
        if (state.units() + operation.units() > capacity) {
            return Optional.empty();
        }
        State with = state.with(new Hold(operation.client(), operation.token(), operation.units()));
        if (whole == Whole.IS_LIKE_ANY || operation.token().isEmpty()) {
            return Optional.of(with);
        }
        long token = operation.token().getAsLong();
        boolean isWriter = operation.units() == capacity;
        return token <= (isWriter ? state.highest() : state.highestOfWriters())
                ? Optional.empty()
                : Optional.of(with.noting(operation.lastToken(), isWriter));
    }
}
