package io.holdfast.simulator;

import io.holdfast.testkit.PlantedBug;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** An engine in which one piece of source text is replaced by another, and what a check says to it. */
final class EngineMutant {

    private EngineMutant() {}

    /** A seed that finds the bug, and what it says. */
    record Find(long seed, String violation) {}

    /** The first seed whose history shows the bug; empty if {@code seeds} of them do not. */
    static Optional<Find> simulate(Path scratch, Mutation mutation, long seeds) throws Exception {
        try (URLClassLoader loader = mutant(scratch, mutation)) {
            Class<?> plants = loader.loadClass(Plant.class.getName());
            Object summary = loader.loadClass(Simulator.class.getName())
                    .getMethod("run", long.class, long.class, plants)
                    .invoke(null, 1L, seeds, plants.getEnumConstants()[0]);
            Long seed = (Long) summary.getClass().getMethod("failingSeed").invoke(summary);
            List<?> violations =
                    (List<?>) summary.getClass().getMethod("violations").invoke(summary);
            return seed == null ? Optional.empty() : Optional.of(new Find(seed, String.valueOf(violations.get(0))));
        }
    }

    /** The first seed for which the ledger and the model differ; empty if they do for none of {@code seeds}. */
    static Optional<Find> compare(Path scratch, Mutation mutation, long seeds) throws Exception {
        try (URLClassLoader loader = mutant(scratch, mutation)) {
            Method run = loader.loadClass(LedgerComparison.class.getName()).getDeclaredMethod("run", long.class);
            run.setAccessible(true);
            for (long seed = 1; seed <= seeds; seed++) {
                String difference = (String) run.invoke(null, seed);
                if (!difference.isEmpty()) {
                    return Optional.of(new Find(seed, difference));
                }
            }
            return Optional.empty();
        }
    }

    /** Everything, with the mutant in the place of the original. */
    private static URLClassLoader mutant(Path scratch, Mutation mutation) throws IOException {
        Path classes = scratch.resolve("classes");
        new PlantedBug()
                .plant(
                        mutation.className(),
                        mutation.original(),
                        mutation.mutated(),
                        scratch.resolve("source"),
                        classes);
        return loader(classes);
    }

    /** The mutant first, then the ordinary class path, and none of the classes loaded already. */
    private static URLClassLoader loader(Path mutant) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        urls.add(mutant.toUri().toURL());
        for (String entry : Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .toList()) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
