package io.holdfast.jdbc;

import io.holdfast.Holdfast;
import io.holdfast.LockOptions;
import io.holdfast.testkit.Eventually;
import java.time.Duration;

/** The two kinds of locks on a server. */
enum Kind {
    LEASE_TABLE {
        @Override
        JdbcStoreBuilder bare(String url) {
            return JdbcStore.leaseTable(url);
        }
    },
    SESSION_LOCKS {
        @Override
        JdbcStoreBuilder bare(String url) {
            return JdbcStore.sessionLocks(url);
        }
    };

    /** On tables that have to be there. */
    abstract JdbcStoreBuilder bare(String url);

    final JdbcStoreBuilder at(String url) {
        return bare(url).createTables();
    }

    final Holdfast open(String url, Duration lease) {
        return open(at(url), lease);
    }

    static Holdfast open(JdbcStoreBuilder store, Duration lease) {
        return Holdfast.builder(store)
                .defaults(LockOptions.builder()
                        .leaseTime(lease)
                        .maxWait(Eventually.LIMIT)
                        .build())
                .failFast()
                .build();
    }
}
