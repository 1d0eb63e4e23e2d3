package io.holdfast.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RecordsTest {

    @Test
    void whatAProcessPrintsArrivesAsItWas() {
        Section section = new Section(Role.MEMBER, "r1-lock-1", 1, 1_700_000_000_000_000L, "c1.t2", -7, 8, 9);
        Write write = new Write("r1-lock-1", "c1.t2-3", 17, Write.Outcome.REJECTED);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        Printer printer = new Printer(new PrintStream(bytes, false, StandardCharsets.UTF_8));
        printer.section(section);
        printer.write(write);
        printer.count("not to be had: WAIT");
        printer.violation("two\nlines");

        Records records = new Records();
        bytes.toString(StandardCharsets.UTF_8).lines().forEach(records::hear);

        assertThat(records.sections()).containsExactly(section);
        assertThat(records.writes()).containsExactly(write);
        assertThat(records.counts()).isEqualTo(Map.of("not to be had: WAIT", 1L));
        assertThat(records.violations()).containsExactly("two lines");
    }
}
