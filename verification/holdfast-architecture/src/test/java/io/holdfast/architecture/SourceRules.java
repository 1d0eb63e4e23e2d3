package io.holdfast.architecture;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** The rules for source files: what class files do not tell. */
final class SourceRules {

    static final int LONGEST_FILE = 450;

    /*
     * One alternative per kind of text that is no code. They are tried at each position from left to right, so a
     * comment sign inside a string, and a quote inside a comment, are read as what they are.
     */
    private static final Pattern NO_CODE = Pattern.compile(
            "/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'",
            Pattern.DOTALL);

    private static final Pattern MONITOR = Pattern.compile("\\bsynchronized\\b");

    private static final Pattern SLEEP = Pattern.compile("\\bsleep\\s*\\(");

    private SourceRules() {}

    static List<Path> withMonitor(List<Path> sources) {
        return sources.stream()
                .filter(source -> mentionsMonitor(Repository.read(source)))
                .toList();
    }

    static List<Path> withSleep(List<Path> sources) {
        return sources.stream()
                .filter(source -> mentions(SLEEP, Repository.read(source)))
                .toList();
    }

    static List<Path> longerThan(int lines, List<Path> sources) {
        return sources.stream()
                .filter(source -> Repository.read(source).lines().count() > lines)
                .toList();
    }

    static boolean mentionsMonitor(String source) {
        return mentions(MONITOR, source);
    }

    private static boolean mentions(Pattern pattern, String source) {
        return pattern.matcher(NO_CODE.matcher(source).replaceAll(" ")).find();
    }
}
