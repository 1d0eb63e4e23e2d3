package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class CommandTest {

    private static final byte[] MORE_THAN_A_PIPE_HOLDS = new byte[1 << 20];

    @Test
    void inputNeedNotBeReadToItsEnd() {
        assertThatCode(() -> Command.run(List.of("true"), new ByteArrayInputStream(MORE_THAN_A_PIPE_HOLDS)))
                .doesNotThrowAnyException();
    }

    @Test
    void shortInputNeedNotBeReadEither() {
        for (int round = 0; round < 50; round++) {
            assertThatThrownBy(() -> Command.run(
                            List.of("sh", "-c", "exec 0<&-; echo no such luck; exit 3"),
                            new ByteArrayInputStream(new byte[5])))
                    .hasMessageContaining("no such luck");
        }
    }

    @Test
    void outputMayBeAsLongAsTheInput() {
        assertThatCode(() -> Command.run(List.of("cat"), new ByteArrayInputStream(MORE_THAN_A_PIPE_HOLDS)))
                .doesNotThrowAnyException();
    }

    @Test
    void failureShowsWhatWasPrinted() {
        assertThatThrownBy(() -> Command.run(
                        List.of("sh", "-c", "echo no such luck >&2; exit 3"), InputStream.nullInputStream()))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("code 3")
                .hasMessageContaining("no such luck");
    }

    @Test
    void missingProgramIsNoSuccess() {
        assertThat(Command.succeeds(List.of("no-such-program"))).isFalse();
        assertThat(Command.succeeds(List.of("false"))).isFalse();
        assertThat(Command.succeeds(List.of("true"))).isTrue();
    }
}
