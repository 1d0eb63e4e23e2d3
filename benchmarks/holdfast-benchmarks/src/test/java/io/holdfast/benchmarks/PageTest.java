package io.holdfast.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class PageTest {

    @Test
    void hasAPlaceForEverySection() throws IOException {
        String page = Files.readString(
                Path.of(System.getProperty("basedir", "")).resolve("../../docs/reference/performance.md"));

        assertThat(Bench.all(Effort.QUICK))
                .allSatisfy(section -> assertThat(page)
                        .contains("<!-- bench: " + section.key() + " -->\n", "<!-- end: " + section.key() + " -->\n"));
    }
}
