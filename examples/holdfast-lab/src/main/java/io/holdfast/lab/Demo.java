package io.holdfast.lab;

import java.io.PrintStream;
import java.util.List;

/** Sends the same crowd to every strategy and prints what became of the apples. */
public final class Demo {

    private static final Crowd CROWD = new Crowd(10, 300, 200, 3, 32);

    private Demo() {}

    public static void main(String[] args) throws InterruptedException {
        print(CROWD, Strategy.all(), System.out);
    }

    static void print(Crowd crowd, List<Strategy> strategies, PrintStream out) throws InterruptedException {
        Table table = new Table(strategies);
        out.printf(
                "%d rounds of %d apples and %d customers; each wants %d, %d are in the shop at once.%n%n",
                crowd.rounds(), crowd.stock(), crowd.customers(), crowd.appetite(), crowd.threads());
        out.println(table.heading());
        for (Strategy strategy : strategies) {
            out.println(table.row(strategy, crowd.visit(strategy)));
        }
        out.printf(
                "%nOversold apples never existed; failed customers met an error instead of waiting up to %d s."
                        + " Both columns should be 0.%n",
                Strategy.PATIENCE.toSeconds());
    }
}
