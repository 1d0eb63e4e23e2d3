package io.holdfast.redis.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LettuceVersionTest {

    @TempDir
    private Path folder;

    @Test
    void versionOfTheBuildIsSupported() {
        assertThatCode(LettuceVersion::check).doesNotThrowAnyException();
    }

    @Test
    void olderVersionIsRefusedWithBothVersions() throws Exception {
        try (URLClassLoader old = lettuce("6.8.1.RELEASE/ec0535e")) {
            Class<?> options = old.loadClass(ClientOptions.Builder.class.getName());

            assertThatThrownBy(() -> LettuceVersion.check(options))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("holdfast-redis needs Lettuce 7.0 or later, but Lettuce 6.8.1.RELEASE is on the class"
                            + " path: update io.lettuce:lettuce-core.");
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
            renamed.write(bytes.replace("maintNotificationsConfig", "anotherMethodOfThatSize_")
                    .getBytes(StandardCharsets.ISO_8859_1));
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
