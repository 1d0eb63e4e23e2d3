package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.holdfast.Holdfast;
import io.holdfast.HoldfastException;
import io.holdfast.Lease;
import io.holdfast.jdbc.internal.UnusableDatabaseException;
import io.holdfast.jdbc.internal.sqlite.SqliteFile;
import io.holdfast.testkit.Eventually;
import io.holdfast.testkit.LogLines;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A file that has several names, or is mounted without its folder, is refused: its -wal file would be another one. */
class SqliteFileTest {

    private static final String LINKS = "has 2 names (hard links)";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"file:%s/locks", "file:%s/other", "jdbc:sqlite:%s/other", "file:%s/symbolic"})
    void fileWithHardLinksIsRefusedUnderEachName(String url) throws Exception {
        Path file = folder.resolve("locks");
        Holdfast.connect("file:" + file).close();
        Files.createLink(folder.resolve("other"), file);
        Files.createSymbolicLink(folder.resolve("symbolic"), file);

        assertThatIllegalStateException()
                .isThrownBy(() -> Holdfast.connect(url.formatted(folder)))
                .withMessageContaining(LINKS)
                .withMessageContaining("mount its folder");
        Files.delete(folder.resolve("other"));
        try (Holdfast holdfast = Holdfast.connect("file:" + file)) {
            holdfast.lock("apples").run(lease -> {});
        }
    }

    /** The holder keeps its lock, and stores on the other name are refused; so is a new connection. */
    @Test
    void hardLinkThatIsMadeLaterIsRefusedAtTheNextConnection() throws Exception {
        Path file = folder.resolve("locks");
        Path other = folder.resolve("other");
        try (Holdfast working = Kind.open(JdbcStore.file(file), Eventually.LIMIT);
                Holdfast idle = Kind.open(JdbcStore.file(file), Eventually.LIMIT)) {
            Lease lease = working.lock("apples").acquire();
            Files.createLink(other, file);

            assertThatIllegalStateException()
                    .isThrownBy(() -> Holdfast.connect("file:" + other))
                    .withMessageContaining(LINKS);
            // It has not opened a connection yet.
            assertThatExceptionOfType(HoldfastException.class)
                    .isThrownBy(() -> idle.lock("pears").tryAcquire())
                    .withMessageContaining(LINKS);
            assertThat(lease.release()).isTrue();
            Files.delete(other);
            idle.lock("pears").run(free -> {});
        }
    }

    @Test
    void fileThatWasReplacedIsRefusedAtTheNextConnection() throws Exception {
        Path file = folder.resolve("locks");
        try (Holdfast working = Kind.open(JdbcStore.file(file), Eventually.LIMIT);
                Holdfast idle = Kind.open(JdbcStore.file(file), Eventually.LIMIT)) {
            Lease lease = working.lock("apples").acquire();
            Files.move(file, folder.resolve("moved"));
            Files.createFile(file);

            assertThatExceptionOfType(HoldfastException.class)
                    .isThrownBy(() -> idle.lock("apples").tryAcquire())
                    .withMessageContaining("was deleted or replaced");
            Files.move(folder.resolve("moved"), file, StandardCopyOption.REPLACE_EXISTING);
            assertThat(idle.lock("apples").tryAcquire()).isEmpty();
            assertThat(lease.release()).isTrue();
        }
    }

    /** As SQLite itself does. */
    @Test
    void symbolicLinkToAFileThatIsNotThereYetIsFollowed() throws Exception {
        Path link = folder.resolve("link");
        Files.createSymbolicLink(link, Path.of("locks"));
        try (Holdfast one = Holdfast.connect("file:" + link);
                Holdfast other = Holdfast.connect("file:" + folder.resolve("locks"))) {
            one.lock("apples")
                    .run(lease -> assertThat(other.lock("apples").tryAcquire()).isEmpty());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/data/locks.db, /data/locks.db",
        "/data/my locks.db, /data/my\\040locks.db",
        "/data/back\\slash, /data/back\\134slash",
        "/data/Schl\u00F6sser, /data/Schl\u00C3\u00B6sser",
    })
    void fileThatIsAMountPointIsRefused(String file, String mounted) {
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> SqliteFile.checkMounts(Path.of(file), mounts(mounted)))
                .withMessageContaining("Mount the folder, not the file.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/data", "/data/locks.db-wal", "/data/locks", "/"})
    void fileBelowAMountPointIsNotRefused(String mounted) {
        assertThatCode(() -> SqliteFile.checkMounts(Path.of("/data/locks.db"), mounts(mounted)))
                .doesNotThrowAnyException();
    }

    private static List<String> mounts(String last) {
        return List.of(
                "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw",
                "not a line as expected",
                "31 22 254:0 /data/locks.db " + last + " rw,relatime shared:1 - ext4 /dev/vda rw");
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:sqlite:/data/locks.db, /data/locks.db",
        "jdbc:sqlite:/data/locks.db?cache=shared, /data/locks.db",
        "jdbc:sqlite:file:/data/my%20locks+1.db?mode=ro, /data/my locks+1.db",
        "jdbc:sqlite:file:///data/locks.db, /data/locks.db",
        "jdbc:sqlite:file://localhost/data/locks.db, /data/locks.db",
        "jdbc:sqlite::resource:locks.db, ",
    })
    void fileOfAUrlIsThatOfTheDriver(String url, String path) {
        assertThat(SqliteFile.path(url)).isEqualTo(path == null ? null : Path.of(path));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nfs",
                "nfs4",
                "cifs",
                "smb3",
                "smbfs",
                "9p",
                "ceph",
                "glusterfs",
                "lustre",
                "fuse.sshfs",
                "fuse.s3fs"
            })
    void fileOfANetworkIsRefusedBeforeItIsMade(String type) {
        Path file = folder.resolve("locks");

        assertThatExceptionOfType(UnusableDatabaseException.class)
                .isThrownBy(() -> SqliteFile.at(file, where -> type))
                .withMessageContaining("network file system (" + type + ")")
                .withMessageContaining("a folder on a disk of this machine")
                .withMessageContaining("jdbc:postgresql:");
        assertThat(file).doesNotExist();
    }

    /** The folder of the file is checked, not the folders of links to it. */
    @Test
    void fileSystemIsThatOfTheFileAndNotOfTheLink() throws Exception {
        Path network = Files.createDirectory(folder.resolve("network")).toRealPath();
        Files.createFile(network.resolve("locks"));
        Path link = Files.createSymbolicLink(folder.resolve("link"), network.resolve("locks"));

        assertThatExceptionOfType(UnusableDatabaseException.class)
                .isThrownBy(() -> SqliteFile.at(link, where -> where.equals(network) ? "nfs4" : "ext4"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ext4",
                "xfs",
                "btrfs",
                "zfs",
                "overlay",
                "tmpfs",
                "apfs",
                "NTFS",
                "fuseblk",
                "fuse.fuse-overlayfs",
                ""
            })
    void fileOfThisMachineIsAccepted(String type) throws Exception {
        try (LogLines log = LogLines.ofHoldfast()) {
            assertThat(SqliteFile.at(folder.resolve("locks"), where -> type)).isNotNull();
            assertThat(log.warnings()).isEmpty();
        }
    }

    @Test
    void folderOfTheHostIsWarnedOf() throws Exception {
        try (LogLines log = LogLines.ofHoldfast()) {
            assertThat(SqliteFile.at(folder.resolve("locks"), where -> "virtiofs"))
                    .isNotNull();
            assertThat(log.warnings()).singleElement().asString().contains("a folder of the host (virtiofs)");
        }
    }
}
