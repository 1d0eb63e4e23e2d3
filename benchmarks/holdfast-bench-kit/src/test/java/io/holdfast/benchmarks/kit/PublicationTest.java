package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PublicationTest {

    private static final String SECTION = "uncontended";

    @TempDir
    private Path folder;

    private Path page = Path.of("");
    private Publication publication = new Publication(page, page);

    @BeforeEach
    void writePage() throws IOException {
        page = Files.writeString(folder.resolve("page.md"), """
                Prose.
                <!-- bench: uncontended -->
                old
                <!-- end: uncontended -->
                <!-- bench: hot -->
                other
                <!-- end: hot -->
                More prose.
                """);
        publication = new Publication(folder.resolve("tables"), page);
    }

    @Test
    void nothingButTheTableOfTheSectionChangesOnThePage() throws IOException {
        publication.publish(SECTION, "new $1 \\\n");
        publication.publish(SECTION, "newer $1 \\\n");

        assertThat(page).content().isEqualTo("""
                Prose.
                <!-- bench: uncontended -->
                newer $1 \\
                <!-- end: uncontended -->
                <!-- bench: hot -->
                other
                <!-- end: hot -->
                More prose.
                """);
    }

    @Test
    void keptTableLeavesThePageAlone() throws IOException {
        String before = Files.readString(page);

        publication.keep(SECTION, "table\n");

        assertThat(folder.resolve("tables/uncontended.md")).hasContent("table");
        assertThat(page).content().isEqualTo(before);
    }

    @Test
    void pageWithoutAPlaceIsRefused() {
        assertThatThrownBy(() -> new MarkedPage("Prose.").with("hot", "table"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("hot");
    }
}
