package io.holdfast.jdbc.internal.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Driver;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class NotificationSocketsTest {

    private ServerSocket server;
    private Socket client;
    private Socket accepted;

    @BeforeEach
    void connect() throws IOException {
        server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = new NotificationSockets.Factory().createSocket();
        client.connect(server.getLocalSocketAddress());
        accepted = server.accept();
    }

    @AfterEach
    void close() throws IOException {
        accepted.close();
        client.close();
        server.close();
    }

    @Test
    void probeTimesOutAtOnceAndTheStreamIsStillReadable() throws IOException {
        InputStream stream = client.getInputStream();
        client.setSoTimeout(1);

        assertThatThrownBy(() -> stream.read(new byte[8], 0, 8))
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageContaining("No data is available");

        client.setSoTimeout(0);
        accepted.getOutputStream().write(7);
        assertThat(stream.read()).isEqualTo(7);
    }

    @Test
    void aProbeFindsWhatHasCome() throws IOException {
        InputStream stream = client.getInputStream();
        accepted.getOutputStream().write(new byte[] {1, 2});
        assertThat(stream.read()).isEqualTo(1);

        client.setSoTimeout(1);

        assertThat(stream.read()).isEqualTo(2);
    }

    /** Kerberos reads again until a whole message has arrived. */
    @Test
    void aSecondReadWaitsAndSeesTheEndOfTheStream() throws IOException {
        InputStream stream = client.getInputStream();
        client.setSoTimeout(1);
        accepted.close();
        assertThatThrownBy(stream::read).hasMessageContaining("No data is available");

        assertThat(stream.read()).isEqualTo(-1);
    }

    /** That of TLS, which must wait for the rest of a record. */
    @Test
    void theSecondStreamWaitsForItsTimeout() throws IOException {
        client.getInputStream();
        InputStream second = client.getInputStream();
        client.setSoTimeout(1);

        assertThatThrownBy(second::read)
                .isInstanceOf(SocketTimeoutException.class)
                .hasMessageNotContaining("No data is available");
    }

    @Test
    void theDriverOfPostgresqlUsesThemAndNoOther() {
        Properties properties = new Properties();
        NotificationSockets.configure(new org.mariadb.jdbc.Driver(), properties);
        assertThat(properties).isEmpty();

        NotificationSockets.configure(new org.postgresql.Driver(), properties);
        assertThat(properties).containsEntry("socketFactory", NotificationSockets.Factory.class.getName());
    }

    /** An application server may have the driver in a folder that it shares between applications. */
    @Test
    void driverThatCannotLoadTheSocketsIsUsedWithoutThem() throws ReflectiveOperationException, IOException {
        URL jar = org.postgresql.Driver.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        try (URLClassLoader elsewhere = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Driver driver = (Driver) elsewhere
                    .loadClass("org.postgresql.Driver")
                    .getConstructor()
                    .newInstance();
            Properties properties = new Properties();

            NotificationSockets.configure(driver, properties);

            assertThat(properties).isEmpty();
        }
    }
}
