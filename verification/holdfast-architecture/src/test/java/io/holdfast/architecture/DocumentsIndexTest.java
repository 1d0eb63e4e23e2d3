package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The index of the documents links every page; those of decisions are in an index of their own. */
class DocumentsIndexTest {

    private static final Path FOLDER = Repository.ROOT.resolve("docs");

    @Test
    void everyPageIsLinked() {
        Path index = FOLDER.resolve("README.md");
        Set<Path> linked = Markdown.parse(Repository.read(index)).links().stream()
                .map(link -> FOLDER.resolve(link).normalize())
                .collect(Collectors.toSet());
        Path decisions = FOLDER.resolve("adr");

        assertThat(Repository.files(FOLDER, ".md"))
                .filteredOn(page -> !page.equals(index))
                .filteredOn(page -> !page.startsWith(decisions)
                        || page.getFileName().toString().equals("README.md"))
                .hasSizeGreaterThan(20)
                .allSatisfy(page -> assertThat(linked).contains(page));
    }
}
