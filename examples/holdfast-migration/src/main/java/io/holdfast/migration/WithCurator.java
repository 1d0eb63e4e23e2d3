package io.holdfast.migration;

// region imports
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.retry.ExponentialBackoffRetry;
// endregion

/** Recipes of Apache Curator. */
final class WithCurator {

    private final CuratorFramework client;
    private final Runnable work;

    WithCurator(CuratorFramework client, Runnable work) {
        this.client = client;
        this.work = work;
    }

    static CuratorFramework open() {
        // region open
        CuratorFramework client =
                CuratorFrameworkFactory.newClient("zk1:2181,zk2:2181,zk3:2181", new ExponentialBackoffRetry(1_000, 3));
        client.start();
        // endregion
        return client;
    }

    boolean mutex() throws Exception {
        // region mutex
        InterProcessMutex lock = new InterProcessMutex(client, "/locks/hotel-42");
        if (!lock.acquire(3, TimeUnit.SECONDS)) {
            return false;
        }
        try {
            work.run();
            return true;
        } finally {
            lock.release();
        }
        // endregion
    }

    void semaphore() throws Exception {
        // region semaphore
        InterProcessSemaphoreV2 printers = new InterProcessSemaphoreV2(client, "/locks/printers", 3);
        Lease permit = printers.acquire();
        try {
            work.run();
        } finally {
            printers.returnLease(permit);
        }
        // endregion
    }

    LeaderSelector leader() {
        // region leader
        LeaderSelector selector = new LeaderSelector(client, "/leaders/reports", new LeaderSelectorListenerAdapter() {
            @Override
            public void takeLeadership(CuratorFramework curator) {
                work.run(); // this process leads until the method returns
            }
        });
        selector.autoRequeue();
        selector.start();
        // endregion
        return selector;
    }
}
