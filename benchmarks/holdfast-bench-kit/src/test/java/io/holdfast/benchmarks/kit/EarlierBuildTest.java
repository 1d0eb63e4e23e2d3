package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EarlierBuildTest {

    @TempDir
    private Path folder;

    @Test
    void jarsOfTheProductAreReplacedAndNoOthers() throws IOException {
        Path core = jar("holdfast-core/target/holdfast-core-0.1.0-SNAPSHOT.jar");
        jar("benchmarks/holdfast-bench-kit/target/holdfast-bench-kit-0.1.0-SNAPSHOT.jar");

        String replaced = new EarlierBuild(folder)
                .classPath(String.join(
                        File.pathSeparator,
                        "holdfast-core/target/holdfast-core-0.1.0-SNAPSHOT.jar",
                        "x/holdfast-bench-kit-0.1.0-SNAPSHOT.jar",
                        "libraries/postgresql-42.jar"));

        assertThat(replaced.split(File.pathSeparator))
                .containsExactly(
                        core.toString(), "x/holdfast-bench-kit-0.1.0-SNAPSHOT.jar", "libraries/postgresql-42.jar");
    }

    @Test
    void folderThatIsNotBuiltIsRefused() {
        assertThatThrownBy(() -> new EarlierBuild(folder)).hasMessageContaining(folder.toString());
        assertThatThrownBy(() -> new EarlierBuild(folder.resolve("none"))).hasMessageContaining("none");
    }

    @Test
    void theEarlierBuildIsMeasuredOnlyOnDemand() throws IOException {
        jar("holdfast-core/target/holdfast-core-0.1.0-SNAPSHOT.jar");
        Request request = Request.parse(List.of("--earlier", folder.toString()));

        assertThat(request.isWanted(new Earlier())).isTrue();
        assertThat(Request.of(Effort.FULL).isWanted(new Earlier())).isFalse();
    }

    private Path jar(String path) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.createFile(file);
    }

    private record Earlier() implements Entrant {

        @Override
        public String label() {
            return "earlier";
        }

        @Override
        public boolean isEarlier() {
            return true;
        }

        @Override
        public Locks open(String address) {
            return new NoLock();
        }
    }
}
