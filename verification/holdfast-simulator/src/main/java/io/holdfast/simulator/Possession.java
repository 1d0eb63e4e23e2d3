package io.holdfast.simulator;

import io.holdfast.tck.Span;

/**
 * What somebody believed to have, and from when to when.
 *
 * @param span name, token and time
 * @param role as what
 * @param units how much of the name
 */
record Possession(Span span, Role role, int units) {

    long from() {
        return span.from();
    }

    long to() {
        return span.to();
    }

    long token() {
        return span.token();
    }

    @Override
    public String toString() {
        return role + " " + span;
    }
}
