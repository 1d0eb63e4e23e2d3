package io.holdfast.soak;

import java.io.PrintStream;

/** Reports line by line, from a process to the one that has started it. */
final class Printer implements Journal {

    private final PrintStream out;

    Printer(PrintStream out) {
        this.out = out;
    }

    @Override
    public void section(Section section) {
        print("S " + section.toLine());
    }

    @Override
    public void write(Write write) {
        print("W " + write.toLine());
    }

    @Override
    public void count(String what) {
        print("C " + what);
    }

    @Override
    public void violation(String what) {
        print("V " + what.replace('\n', ' '));
    }

    /** A line is one write, so that a process that is killed leaves whole lines behind. */
    private void print(String line) {
        synchronized (out) {
            out.print(line + "\n");
            out.flush();
        }
    }
}
