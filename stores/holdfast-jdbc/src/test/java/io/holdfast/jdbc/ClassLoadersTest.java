package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.jdbc.internal.ClassLoaderName;
import io.holdfast.jdbc.internal.sqlite.SqliteFileRegistration;
import io.holdfast.testkit.Eventually;
import java.lang.ref.WeakReference;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several class loaders in one JVM use the same file, each with its own classes, as the applications of a servlet container do. */
class ClassLoadersTest {

    private static final String OK = "ok";
    private static final String REFUSED = "in use in this JVM by another copy of SQLite";
    private static final int ROUNDS = 10;
    private static final int SECTIONS = 100;

    @TempDir
    private Path folder;

    @Test
    void secondCopyOfSqliteIsRefusedUntilTheLastStoreOfTheFirstIsClosed() throws Exception {
        String url = "file:" + folder.resolve("locks");
        try (Application first = Application.start();
                Application second = Application.start()) {
            Function<String, String> one = first.lockUser();
            Function<String, String> other = second.lockUser();
            assertThat(one.apply("open " + url)).isEqualTo(OK);
            assertThat(one.apply("open " + url)).as("again with the same copy").isEqualTo(OK);
            assertThat(one.apply("use 1")).isEqualTo(OK);

            assertThat(other.apply("open " + url))
                    .startsWith("IllegalStateException: " + url)
                    .contains(REFUSED)
                    .contains(
                            ClassLoaderName.of(first.loader()),
                            ClassLoaderName.of(second.loader()),
                            "org.xerial:sqlite-jdbc");
            assertThat(one.apply("close")).isEqualTo(OK);
            assertThat(other.apply("open " + url)).contains(REFUSED);
            assertThat(one.apply("use 1")).isEqualTo(OK);
            assertThat(one.apply("close")).isEqualTo(OK);

            assertThat(other.apply("open " + url)).isEqualTo(OK);
            assertThat(other.apply("use 1")).isEqualTo(OK);
            assertThat(one.apply("open " + url)).contains(REFUSED);
            assertThat(other.apply("close")).isEqualTo(OK);
        }
        assertThat(records()).isEmpty();
    }

    /** By the file, whatever its path is. */
    @ParameterizedTest
    @ValueSource(
            strings = {"file:%s/link", "file:%s/linked/locks", "jdbc:sqlite:%s/locks", "jdbc:sqlite:file:%s/link?a=b"})
    void secondCopyOfSqliteIsRefusedUnderAnotherPath(String path) throws Exception {
        String url = "file:" + folder.resolve("locks");
        Files.createSymbolicLink(folder.resolve("link"), Path.of("locks"));
        Files.createSymbolicLink(folder.resolve("linked"), folder);
        try (Application first = Application.start();
                Application second = Application.start()) {
            Function<String, String> one = first.lockUser();
            Function<String, String> other = second.lockUser();
            assertThat(one.apply("open " + url)).isEqualTo(OK);
            assertThat(other.apply("open " + path.formatted(folder))).contains(REFUSED);
            assertThat(one.apply("close")).isEqualTo(OK);
        }
    }

    @Test
    void otherFilesAreNotRefused() throws Exception {
        try (Application first = Application.start();
                Application second = Application.start()) {
            Function<String, String> one = first.lockUser();
            Function<String, String> other = second.lockUser();
            assertThat(one.apply("open file:" + folder.resolve("locks"))).isEqualTo(OK);
            assertThat(other.apply("open file:" + folder.resolve("others"))).isEqualTo(OK);
            assertThat(one.apply("close")).isEqualTo(OK);
            assertThat(other.apply("close")).isEqualTo(OK);
        }
    }

    @Test
    void oneOfTwoCopiesThatStartAtTheSameInstantIsRefused() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        CyclicBarrier barrier = new CyclicBarrier(2);
        try (Application first = Application.start();
                Application second = Application.start()) {
            List<Function<String, String>> users =
                    List.of(first.lockUser(inside, overlaps), second.lockUser(inside, overlaps));
            for (int round = 0; round < ROUNDS; round++) {
                String url = "file:" + folder.resolve("locks-" + round);
                List<String> answers = together(users, user -> {
                    barrier.await();
                    String opened = user.apply("open " + url);
                    String used = opened.equals(OK) ? user.apply("use 20") : opened;
                    barrier.await();
                    return opened.equals(OK) ? used + user.apply("close") : used;
                });
                assertThat(answers).filteredOn((OK + OK)::equals).hasSize(1);
                assertThat(answers)
                        .filteredOn(answer -> answer.contains(REFUSED))
                        .hasSize(1);
            }
        }
        assertThat(overlaps).hasValue(0);
    }

    /** There is one copy of SQLite then, and it knows its own locks. */
    @Test
    void applicationsThatShareTheDriverShareTheFile() throws Exception {
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger overlaps = new AtomicInteger();
        String url = "file:" + folder.resolve("locks");
        try (URLClassLoader shared = Application.loader(Application.SQLITE, ClassLoader.getPlatformClassLoader());
                Application first = Application.without(Application.SQLITE, shared);
                Application second = Application.without(Application.SQLITE, shared)) {
            List<Function<String, String>> users =
                    List.of(first.lockUser(inside, overlaps), second.lockUser(inside, overlaps));
            for (Function<String, String> user : users) {
                assertThat(user.apply("open " + url)).isEqualTo(OK);
            }
            assertThat(together(users, user -> user.apply("use " + SECTIONS))).containsOnly(OK);
            assertThat(together(users, user -> user.apply("close"))).containsOnly(OK);
        }
        assertThat(overlaps).hasValue(0);
    }

    @Test
    void storeThatCouldNotBeOpenedLeavesNothing() throws Exception {
        Path file = folder.resolve("locks");
        Files.writeString(file, "This is no database, but a text of some length.".repeat(100));
        try (Application application = Application.start()) {
            assertThat(application.lockUser().apply("open file:" + file)).contains("not a database");
        }
        assertThat(records()).isEmpty();
    }

    /** An application that was removed without closing anything, and has no thread left. */
    @Test
    void fileOfACopyThatIsGarbageIsFree() throws Exception {
        String url = "file:" + folder.resolve("locks");
        WeakReference<ClassLoader> unreachable = recordAndForget();
        try (Application second = Application.start()) {
            Function<String, String> other = second.lockUser();
            Eventually.holds("the first one is garbage", () -> {
                System.gc();
                return other.apply("open " + url).equals(OK);
            });
            Eventually.holds("nothing keeps its class loader", () -> {
                System.gc();
                return unreachable.get() == null;
            });
            assertThat(other.apply("close")).isEqualTo(OK);
        }
    }

    private WeakReference<ClassLoader> recordAndForget() throws Exception {
        try (Application first = Application.start();
                Application second = Application.start()) {
            Object registration = first.make(Recorded.class, folder.resolve("locks"));
            assertThat(second.lockUser().apply("open file:" + folder.resolve("locks")))
                    .contains(REFUSED);
            assertThat(registration).isNotNull();
            return new WeakReference<>(first.loader());
        }
    }

    /** The registration of a file, without connections and threads. */
    static final class Recorded {

        private final SqliteFileRegistration registration;

        Recorded(Path file) throws Exception {
            // Without the driver, which DriverManager would keep, and the class loader with it.
            registration = SqliteFileRegistration.of(file, Recorded.class);
        }

        @Override
        public String toString() {
            return Integer.toHexString(System.identityHashCode(registration));
        }
    }

    private static List<String> together(
            List<Function<String, String>> users, ThrowingFunction<Function<String, String>, String> work)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(users.size());
        try {
            List<Future<String>> answers = new ArrayList<>();
            for (Function<String, String> user : users) {
                answers.add(threads.submit((Callable<String>) () -> work.apply(user)));
            }
            List<String> all = new ArrayList<>();
            for (Future<String> answer : answers) {
                all.add(answer.get(2, TimeUnit.MINUTES));
            }
            return all;
        } finally {
            threads.shutdownNow();
        }
    }

    @FunctionalInterface
    private interface ThrowingFunction<T, R> {
        R apply(T argument) throws Exception;
    }

    private static List<String> records() {
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith(SqliteFileRegistration.PROPERTY_PREFIX))
                .toList();
    }
}
