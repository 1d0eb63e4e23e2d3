package io.holdfast.lincheck;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where a planted bug is to be found.
 *
 * @param hunt the hunt that finds it
 * @param scenario one of its scenarios
 */
record Quarry(Hunt hunt, Scenario scenario) {

    /** A few dozen do for the bugs that are planted now. */
    private static final int ENOUGH_INTERLEAVINGS = 500;

    static Quarry of(Hunt hunt, String scenario) {
        return new Quarry(hunt, new Scenario(scenario));
    }

    /** Hunts, for {@link Mutant}: a folder for what is found, and then a hunt and a scenario for each file in it. */
    public static void main(String[] arguments) throws IOException, ReflectiveOperationException {
        Path folder = Path.of(arguments[0]);
        for (int i = 1; i < arguments.length; i += 2) {
            Quarry quarry = of(Hunt.valueOf(arguments[i]), arguments[i + 1]);
            Files.writeString(
                    folder.resolve(quarry.file()), quarry.hunt.violation(quarry.scenario, ENOUGH_INTERLEAVINGS));
        }
    }

    /** A name for the file with what was found. */
    String file() {
        return hunt + "-" + Integer.toHexString(scenario.text().hashCode());
    }
}
