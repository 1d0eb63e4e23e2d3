package io.holdfast.benchmarks;

import java.util.List;

/** The program of a forked JVM: runs one crowd and prints what came out. */
public final class CrowdRun {

    private CrowdRun() {}

    public static void main(String[] args) throws InterruptedException {
        CrowdPlan plan = CrowdPlan.parse(List.of(args));
        System.out.print(new Crowd(plan).run().lines());
    }
}
