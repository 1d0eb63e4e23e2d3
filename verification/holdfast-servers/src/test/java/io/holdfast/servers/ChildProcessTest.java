package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ChildProcessTest {

    private static final Duration LIMIT = Duration.ofSeconds(30);

    @Test
    void serverEndsAndFolderGoesWithClose() {
        ChildProcess process = sleeper();
        ProcessHandle server = ProcessHandle.of(process.pid()).orElseThrow();
        assertThat(process.folder()).isDirectory();

        process.close();
        process.close();

        assertThat(server.isAlive()).isFalse();
        assertThat(process.isAlive()).isFalse();
        assertThat(process.folder()).doesNotExist();
    }

    @Test
    void pidIsTheServersOwn() {
        try (ChildProcess process = ChildProcess.start(
                "teller",
                folder -> List.of("sh", "-c", "echo I am $$; exec sleep 1000"),
                started -> started.log().endsWith("\n"))) {
            assertThat(process.log()).isEqualTo("I am " + process.pid() + "\n");
        }
    }

    @Test
    void serverThatEndsAtStartShowsItsLog() {
        AtomicReference<Path> used = new AtomicReference<>();

        assertThatThrownBy(() -> ChildProcess.start(
                        "doomed",
                        folder -> {
                            used.set(folder);
                            return List.of("sh", "-c", "echo no such luck >&2");
                        },
                        started -> false))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("doomed")
                .hasMessageContaining("no such luck");
        assertThat(used.get()).doesNotExist();
    }

    @Test
    void serverThatIsNeverReadyShowsItsLogAndIsEnded() {
        AtomicReference<ProcessHandle> server = new AtomicReference<>();

        assertThatThrownBy(() -> ChildProcess.start(
                        "slow",
                        folder -> List.of("sh", "-c", "echo thinking; exec sleep 1000"),
                        started -> {
                            server.set(ProcessHandle.of(started.pid()).orElseThrow());
                            return false;
                        },
                        Duration.ofMillis(300)))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("not ready")
                .hasMessageContaining("thinking");
        assertThat(server.get()).isNotNull().matches(handle -> !handle.isAlive());
    }

    @Test
    void commandThatDoesNotExistIsToldApart() {
        assertThatThrownBy(() -> ChildProcess.start("none", folder -> List.of("./no-such-server"), started -> false))
                .isInstanceOf(ServerException.class)
                .hasMessageContaining("no-such-server");
    }

    @Test
    void whatTheServerForkedEndsWithIt() {
        try (ChildProcess process = ChildProcess.start(
                "parent",
                folder -> List.of("sh", "-c", "sleep 1000 & echo $!; wait"),
                started -> started.log().endsWith("\n"))) {
            ProcessHandle child =
                    ProcessHandle.of(Long.parseLong(process.log().strip())).orElseThrow();

            process.kill();

            assertThat(child).matches(ChildProcess::isGone);
        }
    }

    @Test
    void serverIsAskedToEnd() {
        try (ChildProcess process = ChildProcess.start(
                "polite",
                folder -> List.of("sh", "-c", "trap 'echo asked; exit' TERM; echo ready; while :; do sleep 0.1; done"),
                started -> started.log().contains("ready"))) {
            process.terminate();

            assertThat(process.isAlive()).isFalse();
            assertThat(process.log()).contains("asked");
        }
    }

    @Test
    void serverThatDiesByItselfIsNoticedAndCanBeRestarted() {
        try (ChildProcess process = sleeper()) {
            long first = process.pid();
            ProcessHandle.of(first).orElseThrow().destroyForcibly();
            Await.until(LIMIT, () -> !process.isAlive(), () -> "still alive");
            assertThatThrownBy(process::pause).isInstanceOf(IllegalStateException.class);

            process.restart();

            assertThat(process.isAlive()).isTrue();
            assertThat(process.pid()).isNotEqualTo(first);
            assertThat(Files.exists(process.folder())).isTrue();
        }
    }

    @Test
    void closedServerStaysClosed() {
        ChildProcess process = sleeper();
        process.close();

        assertThatThrownBy(process::restart).isInstanceOf(IllegalStateException.class);
        assertThat(process.isAlive()).isFalse();
    }

    private static ChildProcess sleeper() {
        return ChildProcess.start("sleeper", folder -> List.of("sleep", "1000"), ChildProcess::isAlive);
    }
}
