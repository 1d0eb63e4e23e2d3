package io.holdfast.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The list of public types in the documents: a heading per package, a table row per type. */
final class ApiListing {

    private static final Pattern HEADING = Pattern.compile("##+ `([\\w.]+)`\\s*");
    private static final Pattern ROW = Pattern.compile("\\|\\s*`([\\w.]+)`\\s*\\|(.*)\\|\\s*");

    /**
     * One row.
     *
     * @param type the full name, nested types with a dot
     * @param reason why it is there
     */
    record Entry(String type, String reason) {}

    private ApiListing() {}

    static List<Entry> entries(String markdown) {
        List<Entry> entries = new ArrayList<>();
        String packageName = "";
        for (String line : markdown.lines().toList()) {
            Matcher heading = HEADING.matcher(line);
            Matcher row = ROW.matcher(line);
            if (heading.matches()) {
                packageName = heading.group(1);
            } else if (row.matches()) {
                entries.add(
                        new Entry(packageName + '.' + row.group(1), row.group(2).strip()));
            }
        }
        return entries;
    }
}
