package io.holdfast.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A folder for what a user keeps from one JVM to the next. */
final class UserFolder {

    private static final Set<PosixFilePermission> PERMISSIONS = PosixFilePermissions.fromString("rwxr-xr-x");

    private UserFolder() {}

    /** The one in a folder that is for all users. */
    static Path in(Path common) {
        int user = user();
        Path folder = common.resolve("holdfast-servers-" + user);
        try {
            try {
                Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PERMISSIONS));
            } catch (FileAlreadyExistsException kept) {
                refuseIfForeign(folder, user);
            }
            return folder;
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    /** The user's number, which is 0 for root. */
    static int user() {
        try (ScratchFolder own = ScratchFolder.create("user")) {
            return owner(own.path());
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    /** Anybody may make a folder of that name first, and put in it what we would run. */
    private static void refuseIfForeign(Path folder, int user) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                || owner(folder) != user
                || permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new ServerException(folder + " is not a folder that only its owner, user " + user + ", can write to");
        }
    }

    private static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }
}
