package io.holdfast.servers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What MariaDB and MySQL have in common: how their server is started.
 *
 * @param program the path of it among those of the home
 * @param prefix the words in front of the program
 * @param settings options without their dashes
 */
record Mysqld(String name, ServerHome home, String program, List<String> prefix, List<String> settings) {

    private static final String DATA = "data";

    ChildProcess start(int port) {
        return ChildProcess.start(name, folder -> command(folder, port), Mysqld::isReady);
    }

    private List<String> command(Path folder, int port) {
        home.copyData(folder.resolve(DATA));
        List<String> command = new ArrayList<>(prefix);
        List<String> options = new ArrayList<>(settings);
        options.addAll(List.of("port=" + port, "bind-address=127.0.0.1", "skip-name-resolve", "socket="));
        command.addAll(words(home, program, folder.resolve(DATA), folder, options));
        return command;
    }

    /** @param scratch a folder that no other server uses: at its start it removes the temporary tables that it finds, whosever they are */
    static List<String> words(ServerHome home, String program, Path data, Path scratch, List<String> options) {
        List<String> words = new ArrayList<>(List.of(
                home.programs().resolve(program).toString(),
                "--no-defaults",
                "--basedir=" + home.programs(),
                "--datadir=" + data,
                "--tmpdir=" + scratch));
        if (UserFolder.user() == 0) {
            // It runs as root only when told so.
            words.add("--user=root");
        }
        options.forEach(option -> words.add("--" + option));
        return words;
    }

    /** Whether our process says that it is ready, not one before a restart. */
    private static boolean isReady(ChildProcess process) {
        String log = process.log();
        int began = log.lastIndexOf(" as process " + process.pid());
        return began >= 0 && log.indexOf("ready for connections", began) >= 0;
    }
}
