package io.holdfast.jdbc;

import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** An application with its own class loader in this JVM, as in a servlet container. It has copies of all classes of Holdfast. */
public final class Application implements AutoCloseable {

    /** The jars of a driver and of what it needs. */
    public static final Predicate<String> SQLITE =
            Pattern.compile("/(sqlite-jdbc|slf4j-api)-[^/]*\\.jar$").asPredicate();

    static final Predicate<String> H2 = Pattern.compile("/h2-[^/]*\\.jar$").asPredicate();

    private final URLClassLoader loader;

    private Application(URLClassLoader loader) {
        this.loader = loader;
    }

    /** With all jars of this test. */
    public static Application start() {
        return new Application(loader(jar -> true, ClassLoader.getPlatformClassLoader()));
    }

    /** With the jars of this test, except for some that its parent may have. */
    public static Application without(Predicate<String> jars, ClassLoader parent) {
        return new Application(loader(jars.negate(), parent));
    }

    static URLClassLoader loader(Predicate<String> jars, ClassLoader parent) {
        URL[] urls = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(jars)
                .map(Application::url)
                .toArray(URL[]::new);
        return new URLClassLoader(urls, parent);
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException wrong) {
            throw new IllegalStateException(wrong);
        }
    }

    ClassLoader loader() {
        return loader;
    }

    /** Creates an object of this application's copy of a class. */
    public Object make(Class<?> type, Object... arguments) throws ReflectiveOperationException {
        var constructor = Class.forName(type.getName(), true, loader).getDeclaredConstructors()[0];
        constructor.setAccessible(true);
        return constructor.newInstance(arguments);
    }

    /** A {@link LockUser} of this application. */
    Function<String, String> lockUser() throws ReflectiveOperationException {
        return lockUser(new AtomicInteger(), new AtomicInteger());
    }

    /** One that shares its counters with others, and runs in the context of this application. */
    @SuppressWarnings("unchecked")
    Function<String, String> lockUser(AtomicInteger inside, AtomicInteger overlaps)
            throws ReflectiveOperationException {
        return (Function<String, String>) make(LockUser.class, inside, overlaps);
    }

    /** Runs in a thread of the application, as far as the context class loader makes it one. */
    <T> T call(Callable<T> work) throws Exception {
        return inContext(loader, work);
    }

    public static <T> T inContext(ClassLoader context, Callable<T> work) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(context);
        try {
            return work.call();
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }
}
