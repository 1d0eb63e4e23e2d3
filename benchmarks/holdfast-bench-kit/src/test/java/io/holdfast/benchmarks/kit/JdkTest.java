package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JdkTest {

    @TempDir
    private Path folder;

    @Test
    void newestNeighbourWithVirtualThreadsIsFound() throws IOException {
        install("a", "25.0.1");
        install("b", "21.0.9");
        install("c", "11.0.2");
        Files.createDirectory(folder.resolve("no-jdk"));

        assertThat(jdk("17.0.15").withVirtualThreads()).map(Jdk::home).contains(folder.resolve("a"));
    }

    @Test
    void jdkWithVirtualThreadsIsItsOwnChoice() throws IOException {
        install("a", "25.0.1");

        assertThat(jdk("21.0.9").withVirtualThreads()).contains(jdk("21.0.9"));
    }

    @Test
    void thereMayBeNone() {
        assertThat(jdk("17.0.15").withVirtualThreads()).isEmpty();
    }

    private Jdk jdk(String version) {
        return new Jdk(folder.resolve("current"), Runtime.Version.parse(version));
    }

    private void install(String name, String version) throws IOException {
        Path home = Files.createDirectory(folder.resolve(name));
        Files.writeString(home.resolve("release"), "IMPLEMENTOR=\"x\"\nJAVA_VERSION=\"" + version + "\"\n");
    }
}
