package io.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApiListingTest {

    private static final Path LISTING = Repository.ROOT.resolve("docs/reference/api.md");

    private static final List<String> PUBLIC_TYPES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("io.holdfast").stream()
                    .filter(PublicApi.typesOf(
                            "io.holdfast", "io.holdfast.monitoring", "io.holdfast.spi", "io.holdfast.spi.support"))
                    .map(type -> type.getName().replace('$', '.'))
                    .toList();

    @Test
    void everyPublicTypeIsListedOnceAndNoOther() {
        assertListed(Repository.read(LISTING), PUBLIC_TYPES);
    }

    @Test
    void everyTypeHasAReason() {
        assertThat(ApiListing.entries(Repository.read(LISTING)))
                .allSatisfy(entry -> assertThat(entry.reason()).as(entry.type()).isNotBlank());
    }

    @Test
    void missingAndUnknownTypesAreNamed() {
        String listing = """
                ## `io.holdfast`
                | Type | Why it is there |
                |---|---|
                | `Lock` | To lock |
                | `Lock.Gone` | Was there once |
                ## `io.holdfast.spi`
                | `Store` | To store |
                """;

        assertThatThrownBy(() -> assertListed(
                        listing, List.of("io.holdfast.Lock", "io.holdfast.spi.Store", "io.holdfast.Lock.Fresh")))
                .hasMessageContainingAll("io.holdfast.Lock.Gone", "io.holdfast.Lock.Fresh");
        assertThatThrownBy(() -> assertListed(listing + "| `Store` | Again |", List.of("io.holdfast.spi.Store")))
                .hasMessageContaining("io.holdfast.spi.Store");
    }

    @Test
    void nestedTypesOfInterfacesCountAndHiddenTypesDoNot() {
        assertThat(PUBLIC_TYPES)
                .contains("io.holdfast.spi.Attempt.Busy", "io.holdfast.Holdfast.Builder")
                .doesNotContain("io.holdfast.spi.SystemTicker", "io.holdfast.spi.support.WaitingStore.Wait");
    }

    private static void assertListed(String listing, List<String> types) {
        assertThat(ApiListing.entries(listing))
                .as("docs/reference/api.md against the public types")
                .extracting(ApiListing.Entry::type)
                .containsExactlyInAnyOrderElementsOf(types);
    }
}
