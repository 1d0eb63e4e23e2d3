package io.holdfast.jdbc;

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
 * another application, and because {@link Listening} knows the driver's classes that its own class loader has.
 */
final class Drivers {

    private static final Map<String, String> ARTIFACTS = Map.of(
            "postgresql", "org.postgresql:postgresql",
            "mariadb", "org.mariadb.jdbc:mariadb-java-client",
            "mysql", "com.mysql:mysql-connector-j",
            "h2", "com.h2database:h2",
            "sqlite", "org.xerial:sqlite-jdbc");

    private final String url;
    private final Set<String> others = new LinkedHashSet<>();
    private final List<Throwable> failures = new ArrayList<>();

    private Drivers(String url) {
        this.url = url;
    }

    /**
     * The driver that accepts the URL.
     *
     * @param name the URL without what is secret in it
     * @throws IllegalArgumentException if there is none; the message says which class loaders were searched
     */
    static Driver find(String url, String name) {
        return new Drivers(url).find(name);
    }

    private Driver find(String name) {
        Driver registered = registered();
        if (registered != null) {
            return registered;
        }
        // Each is searched once: the context class loader is often that of Holdfast.
        Set<ClassLoader> loaders = new LinkedHashSet<>();
        ClassLoader own = Drivers.class.getClassLoader();
        loaders.add(own != null ? own : ClassLoader.getSystemClassLoader());
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        if (context != null) {
            loaders.add(context);
        }
        for (ClassLoader loader : loaders) {
            Driver service = service(loader);
            if (service != null) {
                return service;
            }
        }
        throw notFound(name, loaders);
    }

    private @Nullable Driver registered() {
        try {
            return DriverManager.getDriver(url);
        } catch (SQLException | RuntimeException none) {
            // Its message has the whole URL, with the password; so it is no cause of anything.
            DriverManager.drivers()
                    .forEach(driver -> others.add(driver.getClass().getName()));
            return null;
        }
    }

    private @Nullable Driver service(ClassLoader loader) {
        Iterator<Driver> services = ServiceLoader.load(Driver.class, loader).iterator();
        while (true) {
            try {
                if (!services.hasNext()) {
                    return null;
                }
                Driver driver = services.next();
                others.add(driver.getClass().getName());
                if (driver.acceptsURL(url)) {
                    return driver;
                }
            } catch (ServiceConfigurationError broken) {
                // Another one may work. It knows nothing of the URL.
                failures.add(broken);
            } catch (SQLException | RuntimeException rejected) {
                // Without its message, which may have the password.
                failures.add(new SQLException(
                        "A driver rejected the URL: " + rejected.getClass().getName()));
            }
        }
    }

    private IllegalArgumentException notFound(String name, Set<ClassLoader> loaders) {
        StringBuilder message = new StringBuilder("No JDBC driver accepts the URL " + name
                + ". Searched DriverManager, and services of type java.sql.Driver in ");
        message.append(String.join(" and ", loaders.stream().map(LoaderText::of).toList()));
        message.append(others.isEmpty() ? "; found no driver at all" : "; found only " + String.join(", ", others));
        message.append(". ").append(advice(name));
        IllegalArgumentException failure = new IllegalArgumentException(message.toString());
        failures.forEach(failure::addSuppressed);
        return failure;
    }

    private static String advice(String name) {
        JdbcUrl shown = JdbcUrl.of(name);
        if (!shown.wrapper().isEmpty()) {
            String artifact = JdbcUrl.WRAPPERS.get(shown.wrapper());
            return "Add the wrapper driver '" + shown.wrapper() + "'" + (artifact == null ? "" : " (" + artifact + ")")
                    + ", or leave it out: jdbc:" + shown.kind() + ":…";
        }
        String artifact = ARTIFACTS.get(FileUrl.matches(name) ? "sqlite" : shown.kind());
        return artifact != null
                ? "Add the dependency " + artifact + ", or correct the URL."
                : "Add the driver of your database, or correct the URL.";
    }
}
