package io.holdfast.servers;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The programs of a server and a data folder to begin with, made at first use and kept in the temporary folder of the system,
 * for each user apart: to unpack and initialise a database takes seconds, to copy an empty one a moment.
 */
record ServerHome(Path path) {

    private static final String COMPLETE = "complete";

    /**
     * How to make one.
     *
     * @param unpacking puts the programs into the folder it is given
     * @param steps make {@link #data}, given the home
     */
    record Recipe(String name, List<BundledFile> origin, Consumer<Path> unpacking, Steps steps) {

        /** Of all that goes into a home, so that a new version or other steps make a new one. */
        private String fingerprint() {
            String all = origin.stream().map(BundledFile::fingerprint).toList()
                    + steps.of(new ServerHome(Path.of(""))).toString();
            return UUID.nameUUIDFromBytes(all.getBytes(StandardCharsets.UTF_8)).toString();
        }
    }

    /** The commands that make the data folder of a home. */
    interface Steps {

        List<Step> of(ServerHome home);
    }

    /** A command and its input. */
    record Step(List<String> words, String input) {

        void run() {
            Command.run(words, new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)));
        }
    }

    static ServerHome of(Recipe recipe) {
        return of(recipe, UserFolder.in(Path.of(System.getProperty("java.io.tmpdir"))));
    }

    static ServerHome of(Recipe recipe, Path shelf) {
        String name = recipe.name() + "-" + recipe.fingerprint();
        // One at a time, also among JVMs: the others find it done.
        try (FileChannel file = FileChannel.open(
                        shelf.resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = file.lock()) {
            ServerHome home = new ServerHome(shelf.resolve(name));
            if (!lock.isValid() || !home.isComplete()) {
                home.make(recipe);
            }
            return home;
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    Path programs() {
        return path.resolve("programs");
    }

    Path data() {
        return path.resolve("data");
    }

    void copyData(Path target) {
        Command.run(List.of("cp", "-Rp", data().toString(), target.toString()), InputStream.nullInputStream());
    }

    private void make(Recipe recipe) throws IOException {
        ScratchFolder remains = new ScratchFolder(path);
        remains.close();
        Files.createDirectories(programs());
        try {
            recipe.unpacking().accept(programs());
            recipe.steps().of(this).forEach(Step::run);
        } catch (RuntimeException failed) {
            remains.close();
            throw failed;
        }
        Files.writeString(path.resolve(COMPLETE), content());
    }

    /** Whether all is there; some systems remove files from the temporary folder that are old. */
    private boolean isComplete() throws IOException {
        try {
            return Files.readString(path.resolve(COMPLETE)).equals(content());
        } catch (NoSuchFileException missing) {
            return false;
        }
    }

    /** The names and sizes of all files. */
    private String content() throws IOException {
        StringBuilder list = new StringBuilder();
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted().toList()) {
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !file.endsWith(COMPLETE)) {
                    list.append(Files.size(file))
                            .append(' ')
                            .append(path.relativize(file))
                            .append('\n');
                }
            }
        }
        return list.toString();
    }

    /** Unpacks a tar file, by the program of that name. */
    static void untar(InputStream archive, Path folder) {
        Command.run(List.of("tar", "-x", "-f", "-", "-C", folder.toString(), "--no-same-owner"), archive);
    }
}
