package io.holdfast.benchmarks;

import io.holdfast.benchmarks.kit.Jdk;
import io.holdfast.benchmarks.kit.Machine;
import io.holdfast.benchmarks.kit.Publication;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The command line; see {@code ./holdfast help}. Works in the folder of the repository. */
public final class Bench {

    private static final Path FOLDER = Path.of("benchmarks/holdfast-benchmarks/target/bench");
    private static final Publication PUBLICATION = new Publication(FOLDER, Path.of("docs/reference/performance.md"));
    private static final Recordings RECORDINGS = new Recordings(FOLDER.resolve("recordings"));

    private Bench() {}

    public static void main(String[] args) throws IOException {
        Order order;
        List<Section> sections;
        try {
            order = Order.parse(List.of(args));
            sections = order.choose(all(order.effort()));
        } catch (IllegalArgumentException wrong) {
            System.err.println("bench: " + wrong.getMessage());
            System.exit(2);
            return;
        }
        for (Section section : sections) {
            measure(section, order);
        }
    }

    private static void measure(Section section, Order order) throws IOException {
        Recorder recorder = order.look() == Order.Look.PROFILE ? RECORDINGS : Recorder.NONE;
        double load = Machine.load();
        Results results = new Rounds(order.rounds(), recorder, System.err::println).run(section);
        String table = new Report(section, results).markdown() + "\n" + facts(section, order, load) + "\n";
        System.out.printf("%n%s%n%n%s%n", section.title(), table);
        PUBLICATION.keep(section.key(), table);
        if (order.look() == Order.Look.PROFILE) {
            explain(section);
        } else if (order.effort() == Effort.FULL) {
            // Neither short nor slowed down: for the readers of the page.
            PUBLICATION.publish(section.key(), table);
        }
    }

    private static void explain(Section section) throws IOException {
        for (Section.Setting setting : section.settings()) {
            for (Section.Entrant entrant : setting.entrants()) {
                Path recording = RECORDINGS.file(section, setting, entrant);
                System.out.printf("%n%s, %s (%s)%n", setting.name(), entrant.name(), recording);
                System.out.println(Profile.read(recording).text());
            }
        }
    }

    private static String facts(Section section, Order order, double load) {
        return String.format(
                Locale.ROOT,
                "%s, load %.1f before; JDK %s; rounds: %d, each %s after %s of warm-up.",
                Machine.current().facts(),
                load,
                section.jdk().version(),
                order.rounds(),
                seconds(order.effort().measurement()),
                seconds(order.effort().warmUp()));
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1e3 + " s";
    }

    static List<Section> all(Effort effort) {
        Jdk jdk = Jdk.current();
        HotKey hotKey = new HotKey(effort);
        List<Section> sections = new ArrayList<>();
        Shared shared = new Shared(effort);
        sections.add(new Uncontended(effort).section(jdk));
        sections.add(shared.uncontended(jdk));
        sections.add(hotKey.platform(jdk));
        sections.add(shared.readWrite(jdk));
        sections.add(shared.semaphore(jdk));
        jdk.withVirtualThreads()
                .map(hotKey::virtual)
                .ifPresentOrElse(
                        sections::add,
                        () -> System.err.println("bench: no JDK 21 or later here, so no section virtual"));
        return sections;
    }
}
