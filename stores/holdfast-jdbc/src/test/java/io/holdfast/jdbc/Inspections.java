package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.Holdfast;
import io.holdfast.Lease;
import io.holdfast.LeaseState;
import io.holdfast.monitoring.LockInfo;
import io.holdfast.servers.ChildProcess;
import io.holdfast.testkit.Eventually;
import java.time.Duration;

/** Inspects a lock that another process holds, and releases it by force. */
final class Inspections {

    private static final Duration LEASE = Duration.ofSeconds(3);

    private Inspections() {}

    static void inspectAndBreak(String kind, String where) {
        String name = "inspected-" + kind;
        try (Holdfast here = Kind.open(LockingProcess.store(kind, where), LEASE);
                ChildProcess holder = LockingProcess.start(kind, where, name, LEASE, "held")) {
            assertThat(holder.log()).contains("held");
            LockInfo info = here.lock(name).inspect();
            assertThat(info.kind()).isEqualTo(LockInfo.Kind.LOCK);
            assertThat(info.holders()).singleElement().satisfies(seen -> {
                assertThat(seen.owner().pid()).isEqualTo(holder.pid());
                assertThat(seen.owner().label()).isEqualTo("child's play");
                assertThat(seen.mode()).isEqualTo(LockInfo.Mode.EXCLUSIVE);
                assertThat(seen.age()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
                assertThat(seen.remaining()).isBetween(Duration.ofNanos(1), LEASE);
                assertThat(holder.log()).contains("held " + seen.token());
            });
            assertThat(here.inspect("inspected-", 10))
                    .extracting(LockInfo::name)
                    .contains(name);
            long token = info.holders().get(0).token();

            assertThat(here.lock(name).forceRelease(token - 1))
                    .as("an older one")
                    .isFalse();
            assertThat(here.lock(name).forceRelease(token)).isTrue();
            Lease next = here.lock(name).acquire();
            assertThat(next.token()).isGreaterThan(token);
            assertThat(here.lock(name).forceRelease(token)).as("its successor").isFalse();

            Eventually.holds("it learns", () -> holder.log().contains("released"));
            assertThat(holder.log()).contains("lost").contains("released false");
            Eventually.renewed(next);
            assertThat(next.state()).isEqualTo(LeaseState.HELD);
            assertThat(next.release()).isTrue();
            assertThat(here.lock(name).inspect().isFree()).isTrue();
        }
    }
}
