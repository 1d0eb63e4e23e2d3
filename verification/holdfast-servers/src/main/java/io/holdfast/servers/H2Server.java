package io.holdfast.servers;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;

/**
 * A real H2 as a server in a process of its own, with its data in a file. It writes at each commit, and nevertheless may lose commits of the last
 * milliseconds when it is killed; not when it is {@link #terminate terminated}. The driver, which is also the
 * server, must be on the class path.
 *
 * <pre>{@code
 * try (H2Server h2 = H2Server.start();
 *         Connection connection = DriverManager.getConnection(h2.url())) {
 *     connection.createStatement().execute("create table a (b int)");
 * }
 * }</pre>
 */
public final class H2Server extends SqlServer {

    private static final int CONNECT_MILLIS = 1_000;

    private H2Server(ChildProcess process, int port) {
        super(process, port);
    }

    public static H2Server start() {
        return FreePort.take(port -> new H2Server(
                ChildProcess.start("h2", folder -> command(folder, port), process -> answers(port)), port));
    }

    private static List<String> command(Path folder, int port) {
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx256m",
                "-Dh2.bindAddress=127.0.0.1",
                "-cp",
                jar().toString(),
                "org.h2.tools.Server",
                "-tcp",
                "-tcpPort",
                Integer.toString(port),
                "-ifNotExists",
                "-baseDir",
                folder.toString());
    }

    private static Path jar() {
        try {
            return Path.of(Class.forName("org.h2.tools.Server")
                    .getProtectionDomain()
                    .getCodeSource()
                    .getLocation()
                    .toURI());
        } catch (ClassNotFoundException | URISyntaxException missing) {
            throw new ServerException("H2 is not on the class path; add com.h2database:h2.");
        }
    }

    private static boolean answers(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public String url(int port) {
        return "jdbc:h2:tcp://127.0.0.1:" + port
                + "/./holdfast;USER=holdfast;PASSWORD=holdfast;DB_CLOSE_DELAY=-1;WRITE_DELAY=0";
    }
}
