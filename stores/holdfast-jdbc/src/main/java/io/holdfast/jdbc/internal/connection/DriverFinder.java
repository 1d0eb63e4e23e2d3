package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.ClassLoaderName;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the JDBC driver for a URL. {@link DriverManager} discovers drivers once per JVM, in the class loader that happens to be
 * the first, and hides those that the caller's class loader does not see. So if it has none, drivers are looked up as services: in
 * the class loader of Holdfast, then in the context class loader of the thread. In this order, because the context may be that of
 * another application, and because the listener for notifications uses the
 * driver's classes of the class loader of Holdfast.
 */
public final class DriverFinder {

    private static final Map<String, String> ARTIFACTS = Map.of(
            "postgresql", "org.postgresql:postgresql",
            "mariadb", "org.mariadb.jdbc:mariadb-java-client",
            "mysql", "com.mysql:mysql-connector-j",
            "h2", "com.h2database:h2",
            "sqlite", "org.xerial:sqlite-jdbc");

    /** Drivers that delegate to another one. */
    private static final Map<String, String> WRAPPERS = Map.of(
            "otel", "io.opentelemetry.instrumentation:opentelemetry-jdbc",
            "aws-wrapper", "software.amazon.jdbc:aws-advanced-jdbc-wrapper",
            "tc", "org.testcontainers:jdbc",
            "p6spy", "p6spy:p6spy",
            "tracing", "io.opentracing.contrib:opentracing-jdbc",
            "log4jdbc", "org.bgee.log4jdbc-log4j2:log4jdbc-log4j2-jdbc4.1");

    private DriverFinder() {}

    /**
     * The driver that accepts the URL.
     *
     * @throws IllegalArgumentException if there is none; the message says which class loaders were searched
     */
    public static Driver find(JdbcUrl url) {
        try {
            return DriverManager.getDriver(url.text());
        } catch (SQLException | RuntimeException none) {
            // Its message has the whole URL, with the password; so it is not passed on as a cause.
            return service(url);
        }
    }

    private static Driver service(JdbcUrl url) {
        Set<String> others = new LinkedHashSet<>();
        DriverManager.drivers().forEach(driver -> others.add(driver.getClass().getName()));
        List<Throwable> failures = new ArrayList<>();
        // Each is searched once: the context class loader is often that of Holdfast.
        Set<ClassLoader> loaders = new LinkedHashSet<>();
        ClassLoader own = DriverFinder.class.getClassLoader();
        loaders.add(own != null ? own : ClassLoader.getSystemClassLoader());
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null) {
            loaders.add(context);
        }
        for (ClassLoader loader : loaders) {
            Driver driver = service(url, loader, others, failures);
            if (driver != null) {
                return driver;
            }
        }
        IllegalArgumentException notFound = new IllegalArgumentException("No JDBC driver accepts the URL " + url.name()
                + ". Searched DriverManager, and services of type java.sql.Driver in "
                + String.join(" and ", loaders.stream().map(ClassLoaderName::of).toList())
                + (others.isEmpty() ? "; found no driver at all" : "; found only " + String.join(", ", others)) + ". "
                + advice(url));
        failures.forEach(notFound::addSuppressed);
        throw notFound;
    }

    private static @Nullable Driver service(
            JdbcUrl url, ClassLoader loader, Set<String> others, List<Throwable> failures) {
        Iterator<Driver> services = ServiceLoader.load(Driver.class, loader).iterator();
        while (true) {
            try {
                if (!services.hasNext()) {
                    return null;
                }
                Driver driver = services.next();
                others.add(driver.getClass().getName());
                if (driver.acceptsURL(url.text())) {
                    return driver;
                }
            } catch (ServiceConfigurationError broken) {
                // Another driver may work. The message has nothing of the URL.
                failures.add(broken);
            } catch (SQLException | RuntimeException rejected) {
                // Without its message, which may contain the password.
                failures.add(new SQLException(
                        "A driver rejected the URL: " + rejected.getClass().getName()));
            }
        }
    }

    private static String advice(JdbcUrl url) {
        String wrapper = url.wrapper();
        if (!wrapper.isEmpty()) {
            String artifact = WRAPPERS.containsKey(wrapper) ? " (" + WRAPPERS.get(wrapper) + ")" : "";
            return "Add the wrapper driver '" + wrapper + "'" + artifact + ", or leave it out: jdbc:" + url.kind()
                    + ":…";
        }
        String artifact = ARTIFACTS.get(url.kind());
        return "Add the " + (artifact == null ? "driver of your database" : "dependency " + artifact)
                + ", or correct the URL.";
    }
}
