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

    /** An order was carried out. */
    void answer(String order) {
        print(ChildMain.ANSWER + order);
    }

    /** A line is one call, so lines do not mix; and it leaves at once, for the process may be killed. */
    private void print(String line) {
        out.print(line + "\n");
        out.flush();
    }
}
