package io.holdfast.benchmarks.jdbc;

import io.holdfast.benchmarks.kit.Guard;
import io.holdfast.benchmarks.kit.LockGuard;
import io.holdfast.benchmarks.kit.Locks;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** Spring Integration's registry with its default settings, but for the lease; it does not renew. */
final class SpringLocks implements Locks {

    private final JdbcLockRegistry registry;

    SpringLocks(String url) {
        DataSource pool = Pool.of(url);
        DefaultLockRepository repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new DataSourceTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        registry = new JdbcLockRegistry(repository, Duration.ofMillis(LEASE_MILLIS));
    }

    @Override
    public Guard guard(String name) {
        return new LockGuard(registry.obtain(name));
    }
}
