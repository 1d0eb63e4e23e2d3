package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserFolderTest {

    @TempDir
    Path common;

    @Test
    void folderIsFoundAgain() {
        assertThat(UserFolder.in(common)).isEqualTo(UserFolder.in(common)).isDirectory();
    }

    @Test
    void folderThatOthersCanWriteToIsRefused() throws IOException {
        Files.setPosixFilePermissions(UserFolder.in(common), PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> UserFolder.in(common)).isInstanceOf(ServerException.class);
    }

    @Test
    void linkIsRefused() throws IOException {
        Path folder = UserFolder.in(common);
        Files.move(folder, common.resolve("elsewhere"));
        Files.createSymbolicLink(folder, common.resolve("elsewhere"));

        assertThatThrownBy(() -> UserFolder.in(common)).isInstanceOf(ServerException.class);
    }
}
