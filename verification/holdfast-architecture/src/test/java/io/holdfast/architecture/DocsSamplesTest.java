package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocsSamplesTest {

    private static final String SAMPLE = """
            package io.holdfast.samples;

            class Hotel {
                void reserve() {
                    // region reserve
                    try (Lease lease = lock.acquire()) {
                        // region write
                        rooms.reserve(lease.token());
                        // endregion
                    }
                    // endregion
                }
            }
            """;

    private static final String RESERVE = """
            ```java
            try (Lease lease = lock.acquire()) {
                rooms.reserve(lease.token());
            }
            ```
            """;

    @TempDir
    private Path root;

    @Test
    void documentsAgreeWithTheRepository() {
        DocsCheck check = new DocsCheck(Repository.ROOT);
        List<Path> documents = Repository.files(Repository.ROOT, ".md");

        assertThat(documents).contains(Repository.ROOT.resolve("docs/reference/api.md"));
        assertThat(documents.stream().flatMap(document -> check.problems(document).stream()))
                .isEmpty();
    }

    @Test
    void sampleThatEqualsItsRegionIsFine() throws IOException {
        assertThat(problems(marked("reserve") + RESERVE)).isEmpty();
        assertThat(problems(marked("write") + "```java\nrooms.reserve(lease.token());\n```\n"))
                .isEmpty();
        assertThat(problems("<!-- sample: src/main/java/io/holdfast/samples/Hotel.java#reserve -->\n\n" + RESERVE))
                .isEmpty();
        assertThat(problems("1. In a list:\n" + (marked("reserve") + RESERVE).indent(3)))
                .isEmpty();
    }

    @Test
    void partsOfARegionAreJoined() throws IOException {
        String sample = """
                <!-- sample: src/main/java/io/holdfast/samples/Parts.java#quick -->
                ```java
                import a.B;

                new B();
                ```
                """;
        Path samples =
                Files.createDirectories(root.resolve("examples/holdfast-samples/src/main/java/io/holdfast/samples"));
        Files.writeString(samples.resolve("Parts.java"), """
                // region quick
                import a.B;
                // endregion
                class Parts {
                    // region quick
                    new B();
                    // endregion
                }
                """);

        assertThat(problems(sample)).isEmpty();
        assertThat(problems(sample.replace("import a.B;\n\n", ""))).hasSize(1);
    }

    @Test
    void sampleOfAnotherModuleIsFound() throws IOException {
        Path module = Files.createDirectories(root.resolve("examples/other/src"));
        Files.writeString(module.resolve("Other.java"), "// region one\nint a;\n// endregion\n");

        assertThat(problems("<!-- sample: examples/other/src/Other.java#one -->\n```java\nint a;\n```\n"))
                .isEmpty();
    }

    @Test
    void sampleThatDiffersIsReported() throws IOException {
        assertThat(problems(marked("reserve") + RESERVE.replace("reserve(", "book(")))
                .singleElement()
                .asString()
                .startsWith("docs/page.md:2: differs from region reserve")
                .contains("rooms.reserve(lease.token());");
    }

    @Test
    void lostIndentationIsReported() throws IOException {
        assertThat(problems(marked("reserve") + RESERVE.replace("    rooms", "rooms")))
                .hasSize(1);
    }

    @Test
    void missingRegionIsReported() throws IOException {
        assertThat(problems(marked("cancel") + RESERVE))
                .singleElement()
                .asString()
                .contains("no region cancel");
    }

    @Test
    void missingFileIsReported() throws IOException {
        assertThat(problems(marked("reserve").replace("Hotel", "Motel") + RESERVE))
                .singleElement()
                .asString()
                .contains("no such file", "Motel.java");
    }

    @Test
    void sampleWithoutOriginIsReportedUnlessAReasonIsGiven() throws IOException {
        assertThat(problems("Like this:\n\n" + RESERVE)).hasSize(1);
        assertThat(problems("<!-- sample: none -->\n" + RESERVE)).hasSize(1);
        assertThat(problems("<!-- sample: none, the class is yours -->\n" + RESERVE))
                .isEmpty();
        assertThat(problems(marked("reserve") + RESERVE + RESERVE)).hasSize(1);
    }

    @Test
    void otherLanguagesAndQuotedFencesAreLeftAlone() throws IOException {
        assertThat(problems("```sh\nmvn verify\n```\n```\nplain\n```\n")).isEmpty();
        assertThat(problems("````markdown\n" + RESERVE + "````\n")).isEmpty();
    }

    @Test
    void brokenLinksAreReported() throws IOException {
        assertThat(problems("""
                        [a](nowhere.md), ![b](b.png "title") and [c](page.md), <img src="d.svg">
                        [outside](../../outside.md)

                        [e]: e.md
                        """))
                .hasSize(5)
                .anySatisfy(problem -> assertThat(problem).endsWith("nowhere.md"))
                .anySatisfy(problem -> assertThat(problem).endsWith("b.png"))
                .anySatisfy(problem -> assertThat(problem).endsWith("d.svg"))
                .anySatisfy(problem -> assertThat(problem).endsWith("../../outside.md"))
                .anySatisfy(problem -> assertThat(problem).endsWith("e.md"));
    }

    @Test
    void linksToMissingHeadingsAreReported() throws IOException {
        assertThat(problems("""
                        # A `page`: about 2 things

                        ## Again
                        ## Again
                        [a](#a-page-about-2-things) [b](page.md#again-1) [c](#again-2) [d](page.md#elsewhere)
                        """))
                .hasSize(2)
                .anySatisfy(problem -> assertThat(problem).endsWith("#again-2"))
                .anySatisfy(problem -> assertThat(problem).endsWith("#elsewhere"));
    }

    @Test
    void goodLinksAndCodeAreFine() throws IOException {
        assertThat(problems("""
                        # Here
                        ## Part
                        [here](#here), [page](page.md#part), [folder](../docs/), [root](/docs/page.md), [mail](mailto:a@b)
                        `[not](a-link.md)`

                        ```sh
                        [neither](this.md)
                        ```
                        """)).isEmpty();
    }

    private static String marked(String region) {
        return "<!-- sample: examples/holdfast-samples/src/main/java/io/holdfast/samples/Hotel.java#" + region
                + " -->\n";
    }

    private List<String> problems(String markdown) throws IOException {
        Path page = Files.createDirectories(root.resolve("docs")).resolve("page.md");
        Path samples =
                Files.createDirectories(root.resolve("examples/holdfast-samples/src/main/java/io/holdfast/samples"));
        Files.writeString(samples.resolve("Hotel.java"), SAMPLE);
        return new DocsCheck(root).problems(Files.writeString(page, markdown));
    }
}
