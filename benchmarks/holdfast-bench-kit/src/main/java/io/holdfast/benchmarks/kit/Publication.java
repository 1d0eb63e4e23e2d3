package io.holdfast.benchmarks.kit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where tables go besides the screen.
 *
 * @param folder gets one file per section
 * @param page gets the tables of full runs into its marked places
 */
public record Publication(Path folder, Path page) {

    /**
     * Keeps the table, out of everybody's sight.
     *
     * @param section its key
     */
    public void keep(String section, String table) {
        try {
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(section + ".md"), table);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Replaces the section's table on the page, between its marks. */
    public void publish(String section, String table) {
        try {
            MarkedPage marked = new MarkedPage(Files.readString(page));
            Files.writeString(page, marked.with(section, table).text());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
