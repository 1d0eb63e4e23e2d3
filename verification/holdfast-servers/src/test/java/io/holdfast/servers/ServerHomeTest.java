package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.servers.ServerHome.Recipe;
import io.holdfast.servers.ServerHome.Step;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerHomeTest {

    @TempDir
    Path shelf;

    private final AtomicInteger unpacked = new AtomicInteger();

    @Test
    void homeIsMadeOnce() {
        ServerHome home = ServerHome.of(recipe("cat"), shelf);

        assertThat(ServerHome.of(recipe("cat"), shelf)).isEqualTo(home);

        assertThat(unpacked).hasValue(1);
        assertThat(home.programs().resolve("program")).hasContent("1");
    }

    @Test
    void dataAreCopied() {
        ServerHome home = ServerHome.of(recipe("cat"), shelf);

        home.copyData(shelf.resolve("copy"));

        assertThat(shelf.resolve("copy").resolve("file")).hasContent("input");
    }

    @Test
    void damagedHomeIsMadeAgain() throws IOException {
        ServerHome home = ServerHome.of(recipe("cat"), shelf);
        Files.delete(home.programs().resolve("program"));

        assertThat(ServerHome.of(recipe("cat"), shelf)).isEqualTo(home);

        assertThat(home.programs().resolve("program")).hasContent("2");
    }

    @Test
    void otherStepsMakeAnotherHome() {
        assertThat(ServerHome.of(recipe("cat"), shelf)).isNotEqualTo(ServerHome.of(recipe("tr i I"), shelf));
        assertThat(unpacked).hasValue(2);
    }

    @Test
    void failureShowsItsWordsAndLeavesNothing() {
        assertThatThrownBy(() -> ServerHome.of(recipe("echo no such luck; exit 3; cat"), shelf))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no such luck")
                .hasMessageContaining("3");
        assertThat(shelf).isDirectoryNotContaining(Files::isDirectory);
    }

    private Recipe recipe(String filter) {
        return new Recipe(
                "some",
                List.of(),
                this::unpack,
                home -> List.of(
                        new Step(List.of("mkdir", home.data().toString()), ""),
                        new Step(List.of("sh", "-c", filter + " > " + home.data() + "/file"), "input")));
    }

    private void unpack(Path programs) {
        try {
            Files.writeString(programs.resolve("program"), Integer.toString(unpacked.incrementAndGet()));
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }
}
