package io.holdfast.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.redis.RedisStore;
import io.lettuce.core.ClientOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LettuceVersionTest {

    /** API that only Lettuce 7 has. */
    private static final List<String> NEW_API = List.of("MaintNotificationsConfig", "getCodec");

    /** The classes that use it, and only if it is there. */
    private static final List<String> GUARDED_CLASSES =
            List.of("LettuceVersion$MaintenanceNotifications.class", "FenceRunner.class");

    @TempDir
    private Path folder;

    @Test
    void versionOfTheBuildIsSupported() {
        assertThatCode(LettuceVersion::check).doesNotThrowAnyException();
        assertThat(LettuceVersion.hasCodecGetter()).isTrue();
    }

    @Test
    void olderVersionIsRefusedWithBothVersions() throws Exception {
        try (URLClassLoader old = lettuce("6.5.5.RELEASE/cb02888")) {
            Class<?> options = old.loadClass(ClientOptions.Builder.class.getName());

            assertThatThrownBy(() -> LettuceVersion.check(options))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("holdfast-redis needs Lettuce 6.6 or later, but Lettuce 6.5.5.RELEASE is on the class"
                            + " path. Update io.lettuce:lettuce-core.");
        }
    }

    @Test
    void newApiIsUsedOnlyWhereItsPresenceIsChecked() throws Exception {
        assertThat(classesThatMention(NEW_API.get(0))).containsExactly(GUARDED_CLASSES.get(0));
        // The implementation of Lettuce has that method since 6, the interface since 7.
        assertThat(classesThatMention(NEW_API.get(1)))
                .containsExactlyInAnyOrder(
                        "ClusterConnections$NodeConnections.class", GUARDED_CLASSES.get(1), "LettuceVersion.class");
    }

    private static List<String> classesThatMention(String name) throws IOException, URISyntaxException {
        Path classes = Path.of(RedisStore.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .filter(file -> text(file).contains(name))
                    .map(file -> String.valueOf(file.getFileName()))
                    .toList();
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** A jar with a class of the same name as Lettuce's, but without the method that is needed. */
    private URLClassLoader lettuce(String version) throws IOException {
        Path jar = folder.resolve("lettuce-core.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
        String entry = ClientOptions.Builder.class.getName().replace('.', '/') + ".class";
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.putNextEntry(new JarEntry(entry));
            withoutMethod(entry).transferTo(out);
        }
        return new ChildFirst(jar.toUri().toURL(), ClientOptions.class.getClassLoader());
    }

    /** The class of this build with that method renamed, in its constant pool. */
    private static InputStream withoutMethod(String entry) throws IOException {
        ByteArrayOutputStream renamed = new ByteArrayOutputStream();
        try (InputStream original = ClientOptions.class.getClassLoader().getResourceAsStream(entry)) {
            assertThat(original).isNotNull();
            String bytes = new String(original.readAllBytes(), StandardCharsets.ISO_8859_1);
            renamed.write(bytes.replace("replayFilter", "replayFiltex").getBytes(StandardCharsets.ISO_8859_1));
        }
        return new ByteArrayInputStream(renamed.toByteArray());
    }

    /** Loads that one class itself. */
    private static final class ChildFirst extends URLClassLoader {

        ChildFirst(URL jar, ClassLoader parent) {
            super(new URL[] {jar}, parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            return name.equals(ClientOptions.Builder.class.getName()) && findLoadedClass(name) == null
                    ? findClass(name)
                    : super.loadClass(name, resolve);
        }
    }
}
