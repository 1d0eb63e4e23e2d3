package io.holdfast.jdbc.internal.connection;

import io.holdfast.jdbc.internal.StoreLog;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.sql.Driver;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.SocketFactory;

/**
 * Sockets for the driver of PostgreSQL that return a notification without waiting for another one. After each notification the driver
 * reads with a timeout of 1 ms, to check whether more have arrived, and returns none of them until then: five times as long as the
 * notification took. Here such a read fails at once if nothing has arrived.
 *
 * <p>It does so only for the first stream of a socket, which the driver reads. TLS opens a second one, of which a record must not be cut in
 * two: there the driver waits for its millisecond.
 */
final class NotificationSockets {

    /** The timeout of the driver for that read. */
    private static final int PROBE_MILLIS = 1;

    private static final System.Logger LOG = StoreLog.LOGGER;
    private static final String DRIVER = "org.postgresql.Driver";

    private NotificationSockets() {}

    /** Sets the property for the driver of PostgreSQL, if its class loader has this class. A factory in the URL has precedence. */
    static void configure(Driver driver, Properties properties) {
        String factory = Factory.class.getName();
        try {
            if (driver.getClass().getName().equals(DRIVER)
                    && Class.forName(factory, false, driver.getClass().getClassLoader()) == Factory.class) {
                properties.setProperty("socketFactory", factory);
            }
        } catch (ClassNotFoundException another) {
            LOG.log(System.Logger.Level.DEBUG, "The driver of PostgreSQL is in another class loader: {0}", another);
        }
    }

    /** Public, because the driver creates it by its name. */
    public static final class Factory extends SocketFactory {

        @Override
        public Socket createSocket() {
            return new ProbingSocket();
        }

        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return new Socket(host, port);
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) throws IOException {
            return new Socket(host, port, local, localPort);
        }

        @Override
        public Socket createSocket(InetAddress host, int port) throws IOException {
            return new Socket(host, port);
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws IOException {
            return new Socket(host, port, local, localPort);
        }
    }

    private static final class ProbingSocket extends Socket {

        private final AtomicBoolean isRead = new AtomicBoolean();
        private volatile boolean probes;

        @Override
        public synchronized void setSoTimeout(int millis) throws SocketException {
            super.setSoTimeout(millis);
            probes = millis == PROBE_MILLIS;
        }

        /** Once for each time that the timeout was set: a driver that reads again waits, and finds the end of the stream. */
        private void checkAvailable(InputStream stream) throws IOException {
            if (probes && stream.available() == 0) {
                probes = false;
                throw new SocketTimeoutException("No data is available.");
            }
        }

        @Override
        public InputStream getInputStream() throws IOException {
            InputStream stream = super.getInputStream();
            return isRead.getAndSet(true)
                    ? stream
                    : new FilterInputStream(stream) {
                        @Override
                        public int read() throws IOException {
                            checkAvailable(in);
                            return super.read();
                        }

                        @Override
                        public int read(byte[] bytes, int from, int length) throws IOException {
                            checkAvailable(in);
                            return super.read(bytes, from, length);
                        }
                    };
        }
    }
}
