package io.holdfast.tck;

import io.holdfast.tck.Operation.Outcome;
import java.util.List;
import java.util.OptionalLong;

/** Operations on one name, written briefly. */
final class Calls {

    static final String NAME = "name";

    private Calls() {}

    static Operation acquire(String client, long token, long called, long returned) {
        return acquire(client, 1, token, called, returned);
    }

    static Operation acquire(String client, int units, long token, long called, long returned) {
        return Operation.acquire(NAME, client, units, OptionalLong.of(token), Outcome.GRANTED, called, returned);
    }

    static Operation acquireWithoutToken(String client, long called, long returned) {
        return Operation.acquire(NAME, client, 1, OptionalLong.empty(), Outcome.GRANTED, called, returned);
    }

    static Operation acquireRefused(String client, long called, long returned) {
        return Operation.acquire(NAME, client, 1, OptionalLong.empty(), Outcome.REFUSED, called, returned);
    }

    static Operation acquireUnknown(String client, long called) {
        return Operation.acquire(NAME, client, 1, OptionalLong.empty(), Outcome.UNKNOWN, called, Operation.NEVER);
    }

    static Operation release(String client, long token, long called, long returned) {
        return Operation.release(NAME, client, OptionalLong.of(token), Outcome.GRANTED, called, returned);
    }

    static Operation releaseWithoutToken(String client, long called, long returned) {
        return Operation.release(NAME, client, OptionalLong.empty(), Outcome.GRANTED, called, returned);
    }

    static Operation releaseRefused(String client, long token, long called, long returned) {
        return Operation.release(NAME, client, OptionalLong.of(token), Outcome.REFUSED, called, returned);
    }

    static Operation releaseUnknown(String client, long token, long called) {
        return Operation.release(NAME, client, OptionalLong.of(token), Outcome.UNKNOWN, called, Operation.NEVER);
    }

    static Operation kept(String client, long token, long called, long returned) {
        return kept(client, 1, token, called, returned);
    }

    static Operation kept(String client, int units, long token, long called, long returned) {
        return Operation.renew(NAME, client, units, OptionalLong.of(token), Outcome.GRANTED, called, returned);
    }

    static Operation gone(String client, long token, long called, long returned) {
        return Operation.renew(NAME, client, 1, OptionalLong.of(token), Outcome.REFUSED, called, returned);
    }

    static Operation revoke(long token, long called, long returned) {
        return Operation.revoke(NAME, token, Outcome.GRANTED, called, returned);
    }

    static Operation revokeRefused(long token, long called, long returned) {
        return Operation.revoke(NAME, token, Outcome.REFUSED, called, returned);
    }

    static Operation revokeUnknown(long token, long called) {
        return Operation.revoke(NAME, token, Outcome.UNKNOWN, called, Operation.NEVER);
    }

    static Operation expire(String client, long token, long opens) {
        return Operation.expire(NAME, client, OptionalLong.of(token), opens);
    }

    static Verdict check(Model<?> model, Operation... operations) {
        return Linearizability.check(model, List.of(operations));
    }
}
