package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The index of the architecture decision records lists all of them, by number and title. */
class DecisionsIndexTest {

    private static final Path FOLDER = Repository.ROOT.resolve("docs/adr");
    private static final Path INDEX = FOLDER.resolve("README.md");

    private static final List<Path> RECORDS = Repository.files(FOLDER, ".md").stream()
            .filter(file -> !file.equals(INDEX))
            .toList();

    @Test
    void everyRecordHasARowInTheIndexWithItsTitle() {
        List<String> rows = RECORDS.stream().map(DecisionsIndexTest::row).toList();

        assertThat(Repository.read(INDEX).lines().filter(line -> line.startsWith("| [")))
                .as("rows of docs/adr/README.md")
                .containsExactlyElementsOf(rows);
    }

    @Test
    void numbersOfRecordsHaveNoGap() {
        assertThat(RECORDS)
                .extracting(
                        file -> Integer.parseInt(file.getFileName().toString().substring(0, 4)))
                .containsExactlyElementsOf(
                        IntStream.rangeClosed(1, RECORDS.size()).boxed().toList());
    }

    private static String row(Path file) {
        String title = Repository.read(file).lines().findFirst().orElseThrow();
        int point = title.indexOf(". ");
        String number = title.substring(2, point);
        assertThat(file.getFileName().toString()).startsWith("%04d-".formatted(Integer.parseInt(number)));
        return "| [" + number + "](" + file.getFileName() + ") | " + title.substring(point + 2) + " |";
    }
}
