package io.holdfast.soak;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What a soak does.
 *
 * @param store what is soaked
 * @param seed of all dice
 * @param rounds how many places it wears out, one after the other
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
        Store store,
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
    static Plan of(Store store, long seed, int rounds, Duration round, int children, Path log) {
        return new Plan(
                store,
                seed,
                rounds,
                round,
                3,
                3,
                children,
                store::locker,
                (url, process) -> store.data(url),
                Worker.Habits.CAREFUL,
                log);
    }

    Plan with(Opener<Locker> otherLockers, Opener<Data> otherData, Worker.Habits otherHabits) {
        return new Plan(
                store, seed, rounds, round, teams, threads, children, otherLockers, otherData, otherHabits, log);
    }

    /** What the locks of a round are called. */
    Names names(int number) {
        return store.names("r" + number + "-");
    }

    /** What happens. */
    Set<Fault> faults() {
        Set<Fault> faults = store.faults();
        if (children == 0) {
            faults.removeIf(Fault::needsChildren);
        }
        return faults;
    }

    List<String> childArguments(Names names, Place place) {
        return List.of(store.word(), names.prefix(), place.locks(), place.data(), String.valueOf(threads));
    }
}
