package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SourceRulesTest {

    private static final List<Path> CORE = Repository.files(Repository.CORE_SOURCES, ".java");
    private static final List<Path> EXAMPLES =
            Repository.files(Repository.MODULE.resolve("src/test/java/io/holdfast/architecture/bad"), ".java");

    @Test
    void sourcesAreFound() {
        assertThat(CORE).contains(Repository.CORE_SOURCES.resolve("io/holdfast/Holdfast.java"));
    }

    @Test
    void nothingWaitsInsideAMonitor() {
        assertThat(SourceRules.withMonitor(EXAMPLES))
                .singleElement()
                .satisfies(file -> assertThat(file).hasFileName("ManyMonitors.java"));
        assertThat(SourceRules.withMonitor(CORE))
                .as("files with synchronized methods or blocks; before JDK 24 these pin virtual threads")
                .isEmpty();
    }

    @Test
    void wordsInCommentsAndStringsAreNoMonitors() {
        assertThat(SourceRules.mentionsMonitor("/* synchronized */ int a; // synchronized\n"))
                .isFalse();
        assertThat(SourceRules.mentionsMonitor("String a = \"/* \\\" synchronized\";"))
                .isFalse();
        assertThat(SourceRules.mentionsMonitor("String a = \"\"\"\n synchronized \" \"\"\";"))
                .isFalse();
        assertThat(SourceRules.mentionsMonitor("String a = \"/*\"; synchronized (a) {} // */"))
                .isTrue();
        assertThat(SourceRules.mentionsMonitor("char a = '\"'; synchronized (this) {} char b = '\"';"))
                .isTrue();
    }

    @Test
    void noTestSleeps() {
        List<Path> tests = Stream.of("Test.java", "IT.java")
                .flatMap(suffix -> Repository.files(Repository.ROOT, suffix).stream())
                .toList();
        assertThat(tests).hasSizeGreaterThan(100);
        assertThat(SourceRules.withSleep(EXAMPLES))
                .singleElement()
                .satisfies(file -> assertThat(file).hasFileName("Sleeps.java"));
        assertThat(SourceRules.withSleep(tests))
                .as("tests with a fixed sleep; they wait for a condition instead, with a generous limit")
                .isEmpty();
    }

    @Test
    void noFileIsLongerThan450Lines() {
        assertThat(SourceRules.longerThan(3, EXAMPLES)).isNotEmpty();
        assertThat(SourceRules.longerThan(SourceRules.LONGEST_FILE, CORE))
                .as("files with more than %s lines; a class that long has two jobs", SourceRules.LONGEST_FILE)
                .isEmpty();
    }
}
