package io.holdfast.lab;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class DemoTest {

    @Test
    void tableHasOneAlignedLineForEachStrategy() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        List<Strategy> strategies = Strategy.inOneProcess();
        Crowd crowd = new Crowd(1, 6, 4, 3, 2, Duration.ofNanos(200_000));

        Demo.print(crowd, strategies, crowd::visit, new PrintStream(bytes, true, UTF_8));

        List<String> lines = bytes.toString(UTF_8).lines().toList();
        List<String> table = lines.subList(2, 3 + strategies.size());
        assertThat(table.get(0)).startsWith("guard").endsWith("commands/sale");
        assertThat(table.subList(1, table.size()))
                .zipSatisfy(strategies, (line, strategy) -> assertThat(line).startsWith(strategy.name()));
        assertThat(table).allSatisfy(line -> assertThat(line).hasSameSizeAs(table.get(0)));
        assertThat(table.get(table.size() - 1)).containsPattern(" 6 +6 +0 +0 +0 +\\d+ +0[.]0$");
    }
}
