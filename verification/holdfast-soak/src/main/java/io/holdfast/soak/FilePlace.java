package io.holdfast.soak;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

/** A file with the locks and the data. */
final class FilePlace implements Place {

    private final Path folder;
    private final Path file;
    private final Losses losses = new Losses();

    FilePlace(Names names) {
        try {
            this.folder = Files.createTempDirectory("holdfast-soak-");
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
        this.file = folder.resolve("locks");
        SqlTables.create(data(), names);
    }

    @Override
    public String locks() {
        return file.toString();
    }

    /** One writer at a time, so whoever is paused in the middle of it keeps all others waiting. */
    @Override
    public String data() {
        return "jdbc:sqlite:" + file + "?journal_mode=WAL&transaction_mode=IMMEDIATE&busy_timeout=30000";
    }

    @Override
    public Losses losses() {
        return losses;
    }

    @Override
    public void cause(Fault fault, Random dice) {
        switch (fault) {
            case LOCK_TABLE_SHORT -> lock(Length.SHORT, dice);
            case LOCK_TABLE_LONG -> lock(Length.LONG, dice);
            default -> throw new IllegalArgumentException("No fault of a file: " + fault);
        }
    }

    private void lock(Length length, Random dice) {
        try (Connection connection = Database.connect(data())) {
            Database.SQLITE.lock(connection, "");
            length.pass(dice);
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void heal() {}

    @Override
    public Map<String, List<FencedWrites.Entry>> written(Names names) {
        return SqlTables.written(data(), names);
    }

    /** The last one that closes the file takes the files beside it away. */
    @Override
    public List<String> leftovers(Duration patience) {
        List<String> left = new ArrayList<>(SqlLeftovers.in(Store.FILE, Database.SQLITE, data(), patience));
        try (Stream<Path> files = Files.list(folder)) {
            files.filter(each -> !each.equals(file)).forEach(each -> left.add("Somebody still has a file: " + each));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        return left;
    }

    @Override
    public void close() {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    @Override
    public String toString() {
        return Store.FILE.word();
    }
}
