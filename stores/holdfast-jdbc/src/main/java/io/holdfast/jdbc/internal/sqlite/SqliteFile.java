package io.holdfast.jdbc.internal.sqlite;

import io.holdfast.jdbc.internal.StoreLog;
import io.holdfast.jdbc.internal.UnusableDatabaseException;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The file of a SQLite database. Checks whether locks in it can work, without opening it: closing a file releases all locks that the process
 * has on it.
 */
public final class SqliteFile {

    private static final System.Logger LOG = StoreLog.LOGGER;

    private static final String URL = "jdbc:sqlite:";
    private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
    private static final int MAX_LINKS = 40;

    /**
     * Network file systems, as Linux and macOS name them. The part of SQLite's data that is in shared memory is not shared between machines, and
     * locks may not be either.
     */
    private static final Set<String> REMOTE = Set.of("""
            nfs nfs3 nfs4 cifs smb smb2 smb3 smbfs afpfs webdav davfs 9p afs coda ncpfs ceph lustre gpfs \
            glusterfs beegfs orangefs pvfs2 panfs ocfs2 gfs2 vboxsf vmhgfs prl_fs fuse.sshfs fuse.glusterfs \
            fuse.ceph fuse.ceph-fuse fuse.s3fs fuse.mountpoint-s3 fuse.goofys fuse.gcsfuse fuse.blobfuse \
            fuse.blobfuse2 fuse.rclone fuse.davfs fuse.davfs2 fuse.curlftpfs fuse.smbnetfs fuse.gvfsd-fuse \
            fuse.juicefs fuse.mfs fuse.lizardfs fuse.seaweedfs fuse.vmhgfs-fuse""".split(" "));

    /** File systems by which a virtual machine or a container uses a folder of its host. */
    private static final Set<String> OF_THE_HOST = Set.of("virtiofs", "fakeowner", "osxfs", "fuse.grpcfuse");

    private final Path path;
    private final String key;

    private SqliteFile(Path path, String key) {
        this.path = path;
        this.key = key;
    }

    /** The file that a JDBC URL names; null if it is a resource of the class path, which the driver copies. */
    public static @Nullable Path path(String url) {
        String text = url.substring(URL.length()).split("\\?", 2)[0];
        if (text.startsWith(":")) {
            return null;
        }
        if (text.startsWith("file:")) {
            String name = text.substring("file:".length());
            String local = name.replaceFirst("^//[^/]*", "");
            text = URLDecoder.decode(local.replace("+", "%2B"), StandardCharsets.UTF_8);
        }
        return Path.of(text).toAbsolutePath();
    }

    /**
     * The file at that path. It is created if it is missing, so that it has a key. The caller has the monitor of
     * {@link SqliteFileRegistration#PROPERTY_PREFIX}: no other store in this JVM uses a new file before it is closed here.
     *
     * @param fileSystems finds the type of the file system that a folder is in
     */
    public static SqliteFile at(Path path, Function<Path, String> fileSystems) throws SQLException {
        try {
            Path folder = target(path).toAbsolutePath().getParent();
            if (folder != null && Files.exists(folder)) {
                checkFileSystem(path, folder.toRealPath(), fileSystems);
            }
            if (Files.notExists(path)) {
                create(target(path));
            }
            SqliteFile file = new SqliteFile(path, key(path));
            file.check();
            checkMounts(path.toRealPath(), mounts());
            return file;
        } catch (IOException failure) {
            throw new SQLException(
                    path + " cannot be used for locks (" + failure + "). Check the path and its permissions.", failure);
        }
    }

    /** Where links lead to, the last of them perhaps to nothing yet. */
    private static Path target(Path path) throws IOException {
        Path target = path;
        for (int links = 0; Files.isSymbolicLink(target) && links < MAX_LINKS; links++) {
            target = target.resolveSibling(Files.readSymbolicLink(target));
        }
        return target;
    }

    private static void create(Path file) throws IOException, UnusableDatabaseException {
        checkWritable(file.getParent());
        FileAttribute<?>[] attributes =
                file.getFileSystem().supportedFileAttributeViews().contains("posix")
                        ? new FileAttribute<?>[] {
                            // As SQLite would.
                            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r--r--"))
                        }
                        : new FileAttribute<?>[0];
        try {
            Files.createFile(file, attributes);
        } catch (FileAlreadyExistsException made) {
            LOG.log(System.Logger.Level.DEBUG, "Another process has created the file", made);
        }
    }

    /** Checks what can change while the file is in use; a few system calls. */
    void check() throws SQLException {
        try {
            if (Files.notExists(path) || !key(path).equals(key)) {
                throw new UnusableDatabaseException(
                        path + " was deleted or replaced while it was in use, and locks that are held in the earlier"
                                + " file are not in a new one. End all processes that use it, and start them again.");
            }
            checkLinks();
            checkWritable(path);
            checkWritable(path.toRealPath().getParent());
        } catch (IOException failure) {
            throw new SQLException(
                    path + " cannot be used for locks (" + failure + "). Check the path and its permissions.", failure);
        }
    }

    private void checkLinks() throws IOException, UnusableDatabaseException {
        if (path.getFileSystem().supportedFileAttributeViews().contains("unix")
                && Files.getAttribute(path, "unix:nlink") instanceof Integer links
                && links > 1) {
            throw new UnusableDatabaseException(
                    path + " has " + links + " names (hard links). SQLite keeps a part of the data in files beside each"
                            + " name, so processes that use different names would not see each other's locks. Remove the other names;"
                            + " to use the file at another place, link to it symbolically, or mount its folder.");
        }
    }

    private static void checkWritable(@Nullable Path path) throws UnusableDatabaseException {
        if (path != null && !Files.isWritable(path)) {
            throw new UnusableDatabaseException(readOnly(path));
        }
    }

    /** Its type, as the system names it; empty if that is unknown. */
    static String fileSystem(Path folder) {
        try {
            return Files.getFileStore(folder).type();
        } catch (IOException | SecurityException unknown) {
            LOG.log(System.Logger.Level.DEBUG, "The file system of " + folder + " is unknown", unknown);
            return "";
        }
    }

    /** Before the file is created or opened. */
    private static void checkFileSystem(Path path, Path folder, Function<Path, String> fileSystems)
            throws UnusableDatabaseException {
        String type = fileSystems.apply(folder).toLowerCase(Locale.ROOT);
        // Windows reports the type of the file system on the other machine.
        boolean isShare = String.valueOf(folder.getRoot()).startsWith("\\\\");
        if (isShare || REMOTE.contains(type)) {
            throw new UnusableDatabaseException(
                    path + " is on a network file system (" + (isShare ? "a Windows share" : type)
                            + "), where SQLite cannot exclude processes of other machines. Put the file into a folder on a disk of this"
                            + " machine; for locks between machines use a database server or Redis: jdbc:postgresql:…, redis:….");
        }
        if (OF_THE_HOST.contains(type)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    path + " is in a folder of the host (" + type
                            + "). Locks exclude the processes of this virtual machine only: let no process of the host or of"
                            + " another virtual machine use the file.");
        }
    }

    /** One line for each mount; none on systems without that file. Each byte of a path is one character. */
    private static List<String> mounts() {
        try {
            return Files.isReadable(MOUNTS) ? Files.readAllLines(MOUNTS, StandardCharsets.ISO_8859_1) : List.of();
        } catch (IOException unknown) {
            LOG.log(System.Logger.Level.DEBUG, "Mounts cannot be read", unknown);
            return List.of();
        }
    }

    /** Fails if the file itself is mounted; by the lines of {@code /proc/self/mountinfo}. */
    public static void checkMounts(Path file, List<String> mounts) throws UnusableDatabaseException {
        byte[] bytes = file.toString().getBytes(StandardCharsets.UTF_8);
        String escaped = new String(bytes, StandardCharsets.ISO_8859_1)
                .replace("\\", "\\134")
                .replace(" ", "\\040")
                .replace("\t", "\\011")
                .replace("\n", "\\012");
        boolean mounted = mounts.stream().anyMatch(line -> {
            String[] fields = line.split(" ", 6);
            return fields.length == 6 && fields[4].equals(escaped);
        });
        if (mounted) {
            throw new UnusableDatabaseException(file
                    + " is a mount point: the file is mounted, and not its folder. SQLite keeps a part of the data in"
                    + " files beside it, which processes that use it at another place (another container, or the host) do not see, nor"
                    + " the locks of each other. Mount the folder, not the file.");
        }
    }

    /** The message for a file or folder that cannot be written. */
    public static String readOnly(Object what) {
        return what
                + " is read-only for this process, so no lock can be acquired. SQLite has to write the file and to create files"
                + " beside it: give the user of this process the permission to write the file and its folder, and check whether"
                + " the file system is mounted, or the database opened, read-only.";
    }

    /** Identifies the file, whatever its path is. */
    String key() {
        return key;
    }

    private static String key(Path path) throws IOException {
        Object number = Files.readAttributes(path, BasicFileAttributes.class).fileKey();
        return number != null ? number.toString() : path.toRealPath().toString();
    }

    /** For messages. */
    @Override
    public String toString() {
        return path.toString();
    }
}
