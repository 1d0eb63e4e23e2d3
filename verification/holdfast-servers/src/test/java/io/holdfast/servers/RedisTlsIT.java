package io.holdfast.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class RedisTlsIT {

    @Test
    void onlyTlsIsSpokenAndOnlyByTrustedServers() throws IOException, GeneralSecurityException {
        try (ServerCertificate certificate = ServerCertificate.selfSigned();
                ServerCertificate another = ServerCertificate.selfSigned();
                RedisServer redis = RedisServer.startWithTls(certificate, "maxmemory 10mb");
                RespClient client = redis.client()) {
            assertThat(client.call("PING")).isEqualTo("PONG");
            assertThat(redis.url()).isEqualTo("rediss://127.0.0.1:" + redis.port());

            assertThatThrownBy(() -> {
                        try (RespClient plain = RespClient.connect(redis.port())) {
                            plain.call("PING");
                        }
                    })
                    .isInstanceOf(RuntimeException.class);
            assertThatThrownBy(() -> {
                        try (RespClient distrustful =
                                RespClient.connect(redis.port(), RespClient.PATIENCE, another.trustingContext())) {
                            distrustful.call("PING");
                        }
                    })
                    .hasCauseInstanceOf(SSLHandshakeException.class);

            assertThat(Files.readString(certificate.certificate())).startsWith("-----BEGIN CERTIFICATE-----");
            KeyStore trusted = KeyStore.getInstance(
                    certificate.trustStore().toFile(), ServerCertificate.TRUST_STORE_PASSWORD.toCharArray());
            assertThat(trusted.size()).isEqualTo(1);
        }
    }
}
