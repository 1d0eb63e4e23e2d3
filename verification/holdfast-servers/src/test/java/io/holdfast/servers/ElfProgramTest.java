package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ElfProgramTest {

    private static final Path ORIGINAL = Path.of("/bin/true");

    @TempDir
    Path folder;

    @Test
    void onlyWhatRunsIsCopied() throws IOException {
        assumeTrue(
                System.getProperty("os.name").equals("Linux")
                        && System.getProperty("os.arch").equals("amd64"),
                "skipped: the format is that of Linux on amd64");
        Path copy = folder.resolve("copy");
        try (InputStream program = Files.newInputStream(ORIGINAL);
                InputStream longer = new SequenceInputStream(program, new ByteArrayInputStream(new byte[1 << 20]))) {
            ElfProgram.copy(longer, copy);
        }

        assertThat(Files.size(copy)).isLessThan(Files.size(ORIGINAL));
        assertThat(Command.succeeds(List.of(copy.toString()))).isTrue();
    }
}
