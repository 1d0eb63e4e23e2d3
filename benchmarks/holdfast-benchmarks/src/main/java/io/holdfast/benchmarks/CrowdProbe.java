package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.Jdk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs a crowd in a JVM of its own, so that nobody profits or suffers from what was compiled for another contestant. */
record CrowdProbe(Jdk jdk, CrowdPlan plan) implements Probe {

    @Override
    public Outcome measure(List<String> jvmArgs) {
        List<String> command = new ArrayList<>(List.of(jdk.java().toString()));
        command.addAll(jvmArgs);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), CrowdRun.class.getName()));
        command.addAll(plan.args());
        try {
            Process process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int status = process.waitFor();
            if (status != 0) {
                throw new IllegalStateException(plan + " failed with status " + status);
            }
            return Outcome.parse(output);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", interrupted);
        }
    }
}
