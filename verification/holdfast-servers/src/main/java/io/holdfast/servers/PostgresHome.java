package io.holdfast.servers;

import io.holdfast.servers.ServerHome.Step;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.tukaani.xz.XZInputStream;

/** PostgreSQL, unpacked, with a database. */
final class PostgresHome {

    static final String ARCHIVE = "/postgres-linux-x86_64.txz";
    static final String PROGRAM = "bin/postgres";
    static final String USER = "holdfast";

    /** A statement a line, for so it is read while there is no client. Each database less is 300 files less to copy. */
    private static final String DATABASE = """
            alter database postgres rename to holdfast
            update pg_database set datistemplate = false where datname = 'template0'
            drop database template0
            """;

    /** Made when first used. */
    private static final class Here {

        static final ServerHome HOME = of(Unprivileged.here());
    }

    private PostgresHome() {}

    static ServerHome here() {
        return Here.HOME;
    }

    static ServerHome of(Unprivileged account) {
        return ServerHome.of(new ServerHome.Recipe(
                "postgres", List.of(BundledFile.get(ARCHIVE)), PostgresHome::unpack, home -> steps(home, account)));
    }

    private static void unpack(Path programs) {
        try (InputStream compressed = BundledFile.get(ARCHIVE).open();
                XZInputStream archive = new XZInputStream(compressed)) {
            ServerHome.untar(archive, programs);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static List<Step> steps(ServerHome home, Unprivileged account) {
        String data = home.data().toString();
        List<Step> steps = new ArrayList<>();
        steps.add(new Step(List.of("mkdir", "-m", "700", data), ""));
        steps.addAll(account.adopting(home.data()));
        steps.add(new Step(
                Words.of(
                        account.prefix(),
                        home.programs().resolve("bin/initdb").toString(),
                        "--pgdata=" + data,
                        "--username=" + USER,
                        "--auth=trust",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--no-sync"),
                ""));
        String postgres = home.programs().resolve(PROGRAM).toString();
        steps.add(new Step(Words.of(account.prefix(), postgres, "--single", "-F", "-D", data, "template1"), DATABASE));
        return steps;
    }
}
