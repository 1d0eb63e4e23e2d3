package io.holdfast.benchmarks.kit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the command line asks for.
 *
 * @param sections the keys of the wanted sections; empty for all
 * @param rounds how often everything is measured
 * @param only of whom; all if it matches everything
 * @param earlier what is measured besides, in the same rounds
 */
public record Request(
        List<String> sections,
        int rounds,
        Effort effort,
        Pattern only,
        @Nullable EarlierBuild earlier) {

    private static final Pattern EVERYBODY = Pattern.compile("");

    /** Everything and everybody, once. */
    public static Request of(Effort effort) {
        return new Request(List.of(), 1, effort, EVERYBODY, null);
    }

    static Request parse(List<String> args) {
        List<String> sections = new ArrayList<>();
        Effort effort = Effort.FULL;
        int rounds = 0;
        Pattern only = EVERYBODY;
        EarlierBuild earlier = null;
        for (int i = 0; i < args.size(); i++) {
            String arg = args.get(i);
            if (arg.equals("--quick")) {
                effort = Effort.QUICK;
            } else if (arg.equals("--rounds")) {
                rounds = number(i + 1 < args.size() ? args.get(++i) : "");
            } else if (arg.equals("--only") && i + 1 < args.size()) {
                only = Pattern.compile(args.get(++i));
            } else if (arg.equals("--earlier") && i + 1 < args.size()) {
                earlier = new EarlierBuild(Path.of(args.get(++i)));
            } else if (arg.startsWith("-")) {
                throw new IllegalArgumentException("unknown option " + arg);
            } else {
                sections.add(arg);
            }
        }
        return new Request(List.copyOf(sections), rounds > 0 ? rounds : effort.rounds(), effort, only, earlier);
    }

    /**
     * The wanted ones, in their own order.
     *
     * @throws IllegalArgumentException if one is wanted that is not there
     */
    <A extends Arena> List<Section<A>> choose(List<Section<A>> all) {
        List<String> keys = all.stream().map(Section::key).toList();
        for (String wanted : sections) {
            if (!keys.contains(wanted)) {
                throw new IllegalArgumentException("there is no section " + wanted + ", only " + keys);
            }
        }
        return all.stream()
                .filter(section -> sections.isEmpty() || sections.contains(section.key()))
                .toList();
    }

    boolean isWanted(Entrant entrant) {
        return only.matcher(entrant.label()).find() && (earlier != null || !entrant.isEarlier());
    }

    /** For the JVM that does the task. */
    String classPath(Task task) {
        String ours = System.getProperty("java.class.path");
        return earlier != null && task.isEarlier() ? earlier.classPath(ours) : ours;
    }

    /** Is it long enough for the readers of a page? */
    boolean isForThePage() {
        return effort == Effort.FULL && only == EVERYBODY;
    }

    private static int number(String text) {
        if (!text.matches("[1-9][0-9]{0,3}")) {
            throw new IllegalArgumentException("--rounds takes a whole number from 1 on: '" + text + "'");
        }
        return Integer.parseInt(text);
    }
}
