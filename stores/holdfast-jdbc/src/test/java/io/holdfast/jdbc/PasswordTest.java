package io.holdfast.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.holdfast.Holdfast;
import io.holdfast.testkit.LogLines;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The password of a URL is in no exception, cause or log line, however malformed the URL is. */
class PasswordTest {

    private static final String PASSWORD = "hunter2";

    /** With a driver that is on the class path, and a server that is not there. */
    private static final List<String> FORMS = List.of(
            "jdbc:%s:127.0.0.1:1/app?user=u&password=hunter2",
            "jdbc:%s:/127.0.0.1:1/app?user=u&password=hunter2",
            "jdbc:%s:u:hunter2@127.0.0.1:1/app",
            "jdbc:%s:u/hunter2@127.0.0.1:1/app",
            "jdbc:%s//u:hunter2@127.0.0.1:1/app",
            "jdbc:%s:///app?user=u&password=hunter2&port=abc&PGPORT=abc",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2",
            "jdbc:%s://127.0.0.1:1/app&user=u&password=hunter2",
            "jdbc:%s://127.0.0.1:1/app,user=u,password=hunter2",
            "jdbc:%s://127.0.0.1:1/app;user=u;password=hunter2",
            "jdbc:%s://127.0.0.1:1/app user=u password=hunter2",
            "jdbc:%s://127.0.0.1:1/app#user=u#password=hunter2",
            "jdbc:%s://127.0.0.1:1/app/u/hunter2?a=b",
            "jdbc:%s://127.0.0.1:1?user=u&password=hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2&socketTimeout=abc",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2&connectTimeout=abc",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2&loginTimeout=abc&targetServerType=foo",
            "jdbc:%s://127.0.0.1:1/app?user=u&socketTimeout=hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2&sslMode=foo&sslmode=foo",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2&a",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2&=",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunter2%%",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=%%zzhunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=x%%hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=hunt%%65r2&socketTimeout=abc",
            "jdbc:%s://127.0.0.1:1/app?user=u&password='hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=\"hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=(hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=x&hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=x?hunter2",
            "jdbc:%s://127.0.0.1:1/app?user=u&password=x@hunter2",
            "jdbc:%s://127.0.0.1:1/app?password:hunter2",
            "jdbc:%s://127.0.0.1:hunter2/app",
            "jdbc:%s://u:hunter2/app",
            "jdbc:%s://u:hunter2@127.0.0.1:abc/app",
            "jdbc:%s://u:hunter2@127.0.0.1:1/app",
            "jdbc:%s://u:hunter2@127.0.0.1:99999/app",
            "jdbc:%s://u:hunter2@127.0.0.1:/app",
            "jdbc:%s://u:hunter2@[::1/app",
            "jdbc:%s://u:hunter2@::1:1/app",
            "jdbc:%s://u:hunter2@127.0.0.1 :1/app",
            "jdbc:%s://u:x/hunter2@127.0.0.1:1/app",
            "jdbc:%s://u:x?hunter2@127.0.0.1:1/app",
            "jdbc:%s://u:x#hunter2@127.0.0.1:1/app",
            "jdbc:%s://u:x%%hunter2@127.0.0.1:1/app",
            "jdbc:%s://u:x hunter2@127.0.0.1:1/app",
            "jdbc:%s://(host=127.0.0.1,port=1,user=u,password=hunter2/app",
            "jdbc:%s://(host=127.0.0.1,port=1,user=u,password=hunter2)/app",
            "jdbc:%s://(host=127.0.0.1,port=x,user=u,password=hunter2)/app",
            "jdbc:%s://(host=127.0.0.1,port=1,user=u,password=x(hunter2)/app",
            "jdbc:%s://[(host=127.0.0.1,port=1,password=hunter2)/app",
            "jdbc:%s://address=(host=127.0.0.1)(port=1)(password=hunter2)/app",
            "jdbc:%s://address=(host=127.0.0.1)(port=x)(password=hunter2)/app?user=u&password=hunter2",
            "jdbc:%s://address=(host=127.0.0.1)(port=1)(password=hunter2/app",
            "jdbc:%s:loadbalance:u:hunter2@127.0.0.1/app",
            "jdbc:%s:foo://u:hunter2@127.0.0.1:1/app",
            "jdbc:%s:foo:bar://u:hunter2@127.0.0.1:1/app?password=hunter2",
            "jdbc:aws-wrapper:%s://127.0.0.1:1/app?user=u&password=hunter2",
            "jdbc:foo:%s://u:hunter2@127.0.0.1:1/app",
            "jdbc:foo:bar:baz:%s://u:hunter2@127.0.0.1:1/app",
            "jdbc:%s",
            "jdbc:hunter2@%s://127.0.0.1:1/app");

    static Stream<String> urls() {
        return Stream.of("postgresql", "mariadb", "mysql")
                .flatMap(kind -> FORMS.stream().map(form -> form.formatted(kind)));
    }

    @ParameterizedTest
    @MethodSource("urls")
    void passwordOfAMalformedUrlIsNotShown(String url) {
        shownNowhere(url);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:h2:tcp://127.0.0.1:1/x;USER=u;PASSWORD=hunter2",
                "jdbc:h2:tcp://127.0.0.1:1/x,USER=u,PASSWORD=hunter2",
                "jdbc:h2:tcp://127.0.0.1:1/x?USER=u&PASSWORD=hunter2",
                "jdbc:h2:tcp://127.0.0.1:1/x&PASSWORD=hunter2",
                "jdbc:h2:tcp://u:hunter2@127.0.0.1:1/x",
                "jdbc:h2:tcp://127.0.0.1:hunter2/x",
                "jdbc:h2:tcp://127.0.0.1:1/x;PASSWORD=hunter2;FOO=BAR",
                "jdbc:h2:tcp://127.0.0.1:1/x;PASSWORD=hunter2;FOO",
                "jdbc:h2:mem:x;USER=u;PASSWORD=hunter2",
                "jdbc:h2:mem:;USER=u;PASSWORD=hunter2;DB_CLOSE_DELAY=-1",
                "jdbc:h2:mem:y;DB_CLOSE_DELAY=-1;PASSWORD=hunter2;FOO=BAR",
                "jdbc:h2:mem:y;DB_CLOSE_DELAY=-1;PASSWORD=hunter2;hunter2",
                "jdbc:h2:mem:y;DB_CLOSE_DELAY=-1;PASSWORD=x;hunter2",
                "jdbc:h2:mem:y;DB_CLOSE_DELAY=-1;CIPHER=AES;PASSWORD=hunter2",
                "jdbc:h2:foo:bar:y;DB_CLOSE_DELAY=-1;PASSWORD=hunter2",
                "jdbc:h2:y;PASSWORD=hunter2",
                "jdbc:h2:u:hunter2@y",
                "jdbc:h2:file:/nowhere/y;AUTO_SERVER=TRUE;PASSWORD=hunter2",
                "jdbc:sqlite::memory:?password=hunter2",
                "jdbc:sqlite:?password=hunter2",
                "jdbc:sqlite:/nowhere/at/all?password=hunter2",
                "jdbc:sqlite:/nowhere/at/all?password=hunter2&busy_timeout=abc",
                "jdbc:sqlite:/nowhere/at/all;password=hunter2",
                "jdbc:sqlite:/nowhere/at/all&password=hunter2",
                "jdbc:sqlite:file:///nowhere/%zz?password=hunter2",
                "jdbc:nothing:u/hunter2@127.0.0.1",
                "jdbc:u:hunter2@127.0.0.1:1/app",
                "jdbc:",
                "jdbc::",
                "jdbc://u:hunter2@127.0.0.1/app",
                "jdbc:POSTGRESQL://u:hunter2@127.0.0.1:1/app",
                "jdbc: postgresql://u:hunter2@127.0.0.1:1/app",
                "JDBC:postgresql://u:hunter2@127.0.0.1:1/app?password=hunter2",
            })
    void passwordOfAnotherUrlIsNotShown(String url) {
        shownNowhere(url);
    }

    private static void shownNowhere(String url) {
        try (LogLines log = LogLines.ofAll()) {
            Throwable thrown = catchThrowable(
                    () -> Holdfast.builder(url).failFast().build().close());
            // Where the store may only be unavailable, this one starts and logs why.
            Throwable atStart = catchThrowable(() -> Holdfast.connect(url).close());

            assertThat(thrown).isNotNull();
            String printed =
                    LogLines.printed(thrown) + (atStart == null ? "" : LogLines.printed(atStart)) + log.lines();
            assertThat(printed).doesNotContainIgnoringCase(PASSWORD);
        }
    }
}
