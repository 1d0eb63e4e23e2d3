package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.Locks;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;

/** ShedLock by the clock of the database. It does not wait, so it is for where nobody else wants the lock. */
final class ShedLocks implements Locks {

    static final String TABLE = "CREATE TABLE shedlock (name VARCHAR(64) PRIMARY KEY, lock_until TIMESTAMP(3) NOT NULL,"
            + " locked_at TIMESTAMP(3) NOT NULL, locked_by VARCHAR(255) NOT NULL)";

    private final LockProvider provider;

    ShedLocks(String url) {
        provider = new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(new JdbcTemplate(Pool.of(url)))
                .usingDbTime()
                .build());
    }

    @Override
    public Guard guard(String name) {
        return new SimpleGuard(provider, name);
    }

    private static final class SimpleGuard implements Guard {

        private final LockProvider provider;
        private final String name;
        private @Nullable SimpleLock lock;

        SimpleGuard(LockProvider provider, String name) {
            this.provider = provider;
            this.name = name;
        }

        @Override
        public void acquire() {
            Optional<SimpleLock> taken = Optional.empty();
            // The end of the last one may be in the same millisecond, and then it is not free yet.
            while (taken.isEmpty()) {
                taken = provider.lock(
                        new LockConfiguration(Instant.now(), name, Duration.ofMillis(LEASE_MILLIS), Duration.ZERO));
            }
            lock = taken.get();
        }

        @Override
        public void release() {
            SimpleLock held = lock;
            if (held != null) {
                held.unlock();
            }
        }
    }
}
