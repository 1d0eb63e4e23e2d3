package io.holdfast.servers;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A fresh self-signed certificate for 127.0.0.1 and localhost, with its key, in files of a temporary folder. */
public final class ServerCertificate implements AutoCloseable {

    /** The password of {@link #trustStore}. */
    public static final String TRUST_STORE_PASSWORD = "holdfast";

    private static final char[] PASSWORD = TRUST_STORE_PASSWORD.toCharArray();
    private static final String ALIAS = "server";
    private static final String KEY_STORE = "key-store.p12";

    private final ScratchFolder folder;
    private final Path certificate;
    private final Path key;
    private final Path trustStore;
    private final SSLContext trustingContext;

    private ServerCertificate(ScratchFolder folder) throws GeneralSecurityException, IOException {
        this.folder = folder;
        generate(folder.path());
        KeyStore made = KeyStore.getInstance(folder.path().resolve(KEY_STORE).toFile(), PASSWORD);
        certificate = folder.write(
                "certificate.pem", pem("CERTIFICATE", made.getCertificate(ALIAS).getEncoded()));
        key = folder.write(
                "key.pem", pem("PRIVATE KEY", made.getKey(ALIAS, PASSWORD).getEncoded()));
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, PASSWORD);
        trusted.setCertificateEntry(ALIAS, made.getCertificate(ALIAS));
        trustStore = folder.path().resolve("trust-store.p12");
        try (OutputStream out = Files.newOutputStream(trustStore)) {
            trusted.store(out, PASSWORD);
        }
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        trustingContext = SSLContext.getInstance("TLS");
        trustingContext.init(null, trust.getTrustManagers(), null);
    }

    /** Makes one; it is gone when closed. */
    public static ServerCertificate selfSigned() {
        ScratchFolder folder = ScratchFolder.create("certificate");
        try {
            return new ServerCertificate(folder);
        } catch (GeneralSecurityException | IOException failed) {
            folder.close();
            throw new ServerException("no certificate can be made", failed);
        } catch (RuntimeException | Error failed) {
            folder.close();
            throw failed;
        }
    }

    /** The certificate, as PEM. */
    public Path certificate() {
        return certificate;
    }

    /** The private key, as PEM without a password. */
    public Path key() {
        return key;
    }

    /** A PKCS12 store with nothing but the certificate, for clients; its password is {@link #TRUST_STORE_PASSWORD}. */
    public Path trustStore() {
        return trustStore;
    }

    /** For clients that trust this certificate and no other. */
    public SSLContext trustingContext() {
        return trustingContext;
    }

    /** Removes the files. Idempotent. */
    @Override
    public void close() {
        folder.close();
    }

    /** By the JDK's own tool, for the JDK has no public API to sign a certificate. */
    private static void generate(Path folder) throws IOException {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        ALIAS,
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=localhost",
                        "-ext",
                        "san=ip:127.0.0.1,dns:localhost",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        KEY_STORE,
                        "-storepass",
                        TRUST_STORE_PASSWORD)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Redirect.to(folder.resolve("keytool.log").toFile()))
                .start();
        int exit = keytool.onExit().join().exitValue();
        if (exit != 0) {
            throw new ServerException("keytool ended with code " + exit + ": "
                    + Files.readString(folder.resolve("keytool.log")).strip());
        }
    }

    private static String pem(String label, byte[] content) {
        String lines =
                Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.UTF_8)).encodeToString(content);
        return "-----BEGIN " + label + "-----\n" + lines + "\n-----END " + label + "-----\n";
    }
}
