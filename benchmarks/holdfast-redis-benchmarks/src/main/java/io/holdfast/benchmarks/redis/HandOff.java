package io.holdfast.benchmarks.redis;

import io.holdfast.benchmarks.kit.Column;
import io.holdfast.benchmarks.kit.Goal;
import io.holdfast.benchmarks.kit.HandOffRow;
import io.holdfast.benchmarks.kit.Round;
import io.holdfast.benchmarks.kit.Section;
import java.util.List;

/** How long it takes from release in one JVM until acquire returns in another one that has waited. */
final class HandOff implements Section<RedisArena> {

    @Override
    public String key() {
        return "hand-off";
    }

    @Override
    public String title() {
        return "From one JVM to another: release is called here, acquire returns there";
    }

    @Override
    public List<Column> columns() {
        return List.of(
                Column.HAND_OFF_MEDIAN,
                RedisColumn.MEDIAN_OF_REDISSON,
                Column.HAND_OFF_P99,
                RedisColumn.P99_OF_REDISSON,
                Column.HAND_OFFS);
    }

    @Override
    public List<Goal> goals() {
        return List.of(
                Contestant.HOLDFAST.should(RedisColumn.MEDIAN_OF_REDISSON, Goal.Bound.AT_MOST, 0.5),
                Contestant.HOLDFAST.should(RedisColumn.P99_OF_REDISSON, Goal.Bound.AT_MOST, 1));
    }

    @Override
    public void measure(RedisArena arena, Round round) {
        List<Contestant> contestants = arena.inTurn(
                round,
                List.of(
                        Contestant.FLOOR_OF_MESSAGES,
                        Contestant.HOLDFAST,
                        Contestant.REDISSON,
                        Contestant.SPRING_SPIN,
                        Contestant.SPRING_PUB_SUB));
        contestants.forEach(contestant -> new HandOffRow(contestant).measure(arena, round));
        String redisson = Contestant.REDISSON.label();
        round.divide(Column.HAND_OFF_MEDIAN, redisson, RedisColumn.MEDIAN_OF_REDISSON);
        round.divide(Column.HAND_OFF_P99, redisson, RedisColumn.P99_OF_REDISSON);
    }
}
