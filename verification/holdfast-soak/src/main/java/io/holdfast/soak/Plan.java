package io.holdfast.soak;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a soak does.
 *
 * @param seed of all dice
 * @param rounds how many servers it wears out, one after the other; every second one keeps its data on disk
 * @param round how long things fail in each
 * @param teams how many processes are played in this JVM
 * @param threads how many threads each process has
 * @param children how many processes there are beside
 * @param lockers where teams in this JVM get their locks
 * @param data where they get what the locks guard
 * @param habits how they work
 * @param log where every fault is written down
 */
record Plan(
        long seed,
        int rounds,
        Duration round,
        int teams,
        int threads,
        int children,
        Opener<Locker> lockers,
        Opener<Data> data,
        Worker.Habits habits,
        Path log) {

    /** Opens what is at a URL, for a process of that name. */
    @FunctionalInterface
    interface Opener<T> {
        T open(String url, String process);
    }

    /** Of Holdfast, and as careful as its users should be. */
    static Plan of(long seed, int rounds, Duration round, int children, Path log) {
        return new Plan(
                seed,
                rounds,
                round,
                3,
                3,
                children,
                HoldfastLocker::at,
                (url, process) -> FencedData.at(url),
                Worker.Habits.CAREFUL,
                log);
    }

    Plan with(Opener<Locker> otherLockers, Opener<Data> otherData, Worker.Habits otherHabits) {
        return new Plan(seed, rounds, round, teams, threads, children, otherLockers, otherData, otherHabits, log);
    }

    /** What the locks of a round are called. */
    Names names(int number) {
        return new Names("r" + number + "-");
    }

    List<String> childArguments(Names names, String locks, String fenced) {
        return List.of(names.prefix(), locks, fenced, String.valueOf(threads));
    }
}
