package io.holdfast.servers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Starts Redis 6.2, for what has to work with a Redis before 7, and for a server whose clock can be set: its binary is linked
 * dynamically, while that of {@link RedisServer#start} is static and takes no other clock.
 */
public final class OldRedis {

    private static final String RESOURCE = "/redis-server-6.2.6-v5-linux-amd64";

    private OldRedis() {}

    /** Why Redis 6.2 cannot run on this machine; empty if it can. Tests show it when they skip. */
    public static Optional<String> obstacle() {
        if (!System.getProperty("os.name").equals("Linux")
                || !System.getProperty("os.arch").equals("amd64")) {
            return Optional.of("the binary of Redis 6.2 is for Linux on amd64 only");
        }
        return Binary.OBSTACLE;
    }

    /** Starts a server; see {@link RedisServer#start}. */
    public static RedisServer start(String... settings) {
        return launch(List.of(), settings);
    }

    /** Starts a server that goes by this clock. Durations that Redis measures by its clock, such as of keys, jump with it. */
    public static RedisServer start(ServerClock clock, String... settings) {
        return launch(clock.prefix(), settings);
    }

    private static RedisServer launch(List<String> prefix, String... settings) {
        obstacle().ifPresent(reason -> {
            throw new ServerException(reason);
        });
        List<String> words = Words.of(prefix, Binary.PATH.toString());
        return RedisServer.start(new RedisServer.Launch(words, List.of(), List.of(settings)), null);
    }

    /** Unpacked, and tried, when first used. */
    private static final class Binary {

        static final Path PATH = unpack();
        static final Optional<String> OBSTACLE = tryOut();

        private static Path unpack() {
            try (InputStream content = Objects.requireNonNull(OldRedis.class.getResourceAsStream(RESOURCE))) {
                Path folder = Files.createTempDirectory("holdfast-old-redis-");
                Path file = folder.resolve("redis-server");
                Files.copy(content, file);
                // In reverse order of registration, so the file goes before its folder.
                folder.toFile().deleteOnExit();
                file.toFile().deleteOnExit();
                if (!file.toFile().setExecutable(true)) {
                    throw new IOException(file + " cannot be made executable");
                }
                return file;
            } catch (IOException unwritable) {
                throw new UncheckedIOException(unwritable);
            }
        }

        private static Optional<String> tryOut() {
            try {
                Process version = new ProcessBuilder(PATH.toString(), "--version")
                        .redirectErrorStream(true)
                        .start();
                String said = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
                return version.onExit().join().exitValue() == 0
                        ? Optional.empty()
                        : Optional.of("the binary of Redis 6.2 does not run here: " + said);
            } catch (IOException unstartable) {
                return Optional.of("the binary of Redis 6.2 does not run here: " + unstartable.getMessage());
            }
        }
    }
}
