package io.holdfast.jdbc.internal.dialect;

import java.util.Collections;
import java.util.List;

/** Lists of parameters in SQL statements. They have few sizes, so that few statements are prepared. */
public final class SqlLists {

    /** How many parameters a list has at most. */
    public static final int MAX_SIZE = 100;

    private static final int MEDIUM_SIZE = 10;

    private SqlLists() {}

    /** The size of the list for these elements; the caller repeats the last element to fill it. */
    public static int sizeFor(List<?> elements) {
        if (elements.size() == 1) {
            return 1;
        }
        return elements.size() <= MEDIUM_SIZE ? MEDIUM_SIZE : MAX_SIZE;
    }

    /** So many parameters in parentheses. */
    public static String placeholders(int size) {
        return "(" + String.join(", ", Collections.nCopies(size, "?")) + ")";
    }
}
