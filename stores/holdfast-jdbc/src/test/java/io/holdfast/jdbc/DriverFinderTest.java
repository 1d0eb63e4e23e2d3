package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.jdbc.internal.ClassLoaderName;
import io.holdfast.jdbc.internal.connection.DriverFinder;
import io.holdfast.jdbc.internal.connection.JdbcUrl;
import io.holdfast.testkit.LogLines;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The driver of a URL is found in several class loaders; if there is none, the message says which dependency to add. */
class DriverFinderTest {

    private static final String H2_URL = "jdbc:h2:mem:drivers;DB_CLOSE_DELAY=-1";
    private static final String TABLE_IS_MISSING = "createTables()";

    /** It discovers drivers once in a JVM. */
    @BeforeEach
    void driverManagerHasDiscoveredDrivers() {
        assertThat(DriverManager.drivers().map(driver -> driver.getClass().getName()))
                .contains("org.sqlite.JDBC", "org.h2.Driver");
    }

    @Test
    void driversOfASecondClassLoaderAreFound(@TempDir Path folder) throws Exception {
        try (Application application = Application.start()) {
            Function<String, String> user = application.lockUser();
            assertThat(application.call(() -> user.apply("open file:" + folder.resolve("locks"))))
                    .isEqualTo("ok");
            assertThat(application.call(() -> user.apply("use 1"))).isEqualTo("ok");
            assertThat(application.call(() -> user.apply("close"))).isEqualTo("ok");
            // It fails only when it checks the table.
            assertThat(application.call(() -> user.apply("open " + H2_URL))).contains(TABLE_IS_MISSING);
        }
    }

    /** In a thread that belongs to no application, such as that of a shared scheduler. */
    @Test
    void driverOfHoldfastsClassLoaderIsFoundWhateverTheContextIs() throws Exception {
        try (Application application = Application.start()) {
            Function<String, String> user = application.lockUser();
            assertThat(Application.inContext(ClassLoader.getPlatformClassLoader(), () -> user.apply("open " + H2_URL)))
                    .contains(TABLE_IS_MISSING);
        }
    }

    /** Not that of another application, in a thread of which it happens to be opened. */
    @Test
    void driverOfHoldfastsClassLoaderIsPreferred() throws Exception {
        try (Application application = Application.start();
                Application other = Application.start()) {
            Object found = application.make(Found.class, H2_URL);
            assertThat(other.call(() -> application.make(Found.class, H2_URL)).toString())
                    .isEqualTo(found.toString())
                    .isEqualTo(ClassLoaderName.of(application.loader()));
        }
    }

    /** Holdfast is in the class loader that applications share, and the driver is in the application. */
    @Test
    void driverOfTheContextClassLoaderIsFound() throws Exception {
        try (Application application = Application.without(Application.H2, ClassLoader.getPlatformClassLoader());
                URLClassLoader context = Application.loader(Application.H2, application.loader())) {
            Function<String, String> user = application.lockUser();
            assertThat(Application.inContext(context, () -> user.apply("open " + H2_URL)))
                    .contains(TABLE_IS_MISSING);
            assertThat(application.call(() -> user.apply("open " + H2_URL))).contains("com.h2database:h2");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://db/app?user=app&password=s3cret, org.postgresql:postgresql",
        "jdbc:mariadb://app:s3cret@db/app?password=s3cret, org.mariadb.jdbc:mariadb-java-client",
        "jdbc:mysql://app:s3cret@db/app?password=s3cret, com.mysql:mysql-connector-j",
        "jdbc:h2:tcp://db/app;PASSWORD=s3cret, com.h2database:h2",
        "jdbc:sqlite:locks.db?password=s3cret, org.xerial:sqlite-jdbc",
        "jdbc:nothing://app:s3cret@db/app, the driver of your database",
    })
    void missingDriverIsReportedWithTheClassLoadersAndWithoutThePassword(String url, String artifact) throws Exception {
        ClassLoader platform = ClassLoader.getPlatformClassLoader();
        try (Application application = Application.without(DriverFinderTest::isDriver, platform)) {
            Throwable thrown = Application.inContext(
                    platform,
                    () -> catchThrowable(() -> application.make(Open.class, url))
                            .getCause());

            assertThat(thrown)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("No JDBC driver accepts the URL jdbc:")
                    .hasMessageContaining("DriverManager")
                    .hasMessageContaining(ClassLoaderName.of(platform))
                    .hasMessageContaining(ClassLoaderName.of(application.loader()))
                    .hasMessageContaining(artifact);
            assertThat(LogLines.printed(thrown)).doesNotContain("s3cret");
        }
    }

    @Test
    void missingDriverOfAFileIsNamed(@TempDir Path folder) throws Exception {
        try (Application application = Application.without(Application.SQLITE, ClassLoader.getPlatformClassLoader())) {
            Function<String, String> user = application.lockUser();
            assertThat(application.call(() -> user.apply("open file:" + folder.resolve("locks"))))
                    .contains("No JDBC driver", "org.xerial:sqlite-jdbc", "found only", "org.h2.Driver");
        }
    }

    /** A driver that is listed but cannot be loaded does not hide the others. */
    @Test
    void driverThatCannotBeLoadedIsSkipped(@TempDir Path folder) throws Exception {
        Path services = folder.resolve("META-INF/services");
        Files.createDirectories(services);
        Files.writeString(services.resolve("java.sql.Driver"), "io.example.Absent\n");
        try (Application application = Application.start();
                URLClassLoader context =
                        new URLClassLoader(new URL[] {folder.toUri().toURL()}, application.loader())) {
            Function<String, String> user = application.lockUser();
            assertThat(Application.inContext(context, () -> user.apply("open " + H2_URL)))
                    .contains(TABLE_IS_MISSING);
        }
    }

    private static boolean isDriver(String entry) {
        return Stream.of("postgresql-", "mariadb-java-client-", "mysql-connector-j-", "h2-", "sqlite-jdbc-")
                .anyMatch(name -> Path.of(entry).getFileName().toString().startsWith(name));
    }

    /** Finds a driver in another class loader, and says which one that driver has. */
    static final class Found {

        private final Driver driver;

        Found(String url) {
            driver = DriverFinder.find(JdbcUrl.of(url));
        }

        @Override
        public String toString() {
            return ClassLoaderName.of(driver.getClass().getClassLoader());
        }
    }

    /** Opens a URL in another class loader, and lets the exception come out. */
    static final class Open {

        Open(String url) {
            Holdfast.connect(url).close();
        }
    }
}
