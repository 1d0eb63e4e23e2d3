package io.holdfast.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** The command line; see {@code ./holdfast help}. */
public final class Bench {

    private Bench() {}

    public static void main(String[] args) {
        Order order;
        List<Section> sections;
        try {
            order = Order.parse(List.of(args));
            sections = chosen(order);
        } catch (IllegalArgumentException wrong) {
            System.err.println("bench: " + wrong.getMessage());
            System.exit(2);
            return;
        }
        Rounds rounds = new Rounds(order.rounds(), System.err::println);
        for (Section section : sections) {
            Results results = rounds.run(section);
            System.out.printf("%n%s%n%n%s", section.title(), new Report(section, results).markdown());
        }
    }

    static List<Section> all(Effort effort) {
        Jdk jdk = Jdk.current();
        HotKey hotKey = new HotKey(effort);
        List<Section> sections = new ArrayList<>();
        sections.add(new Uncontended(effort).section());
        sections.add(hotKey.platform(jdk));
        jdk.withVirtualThreads().map(hotKey::virtual).ifPresent(sections::add);
        return sections;
    }

    private static List<Section> chosen(Order order) {
        List<Section> all = all(order.effort());
        List<String> keys = all.stream().map(Section::key).toList();
        for (String key : order.sections()) {
            if (!keys.contains(key)) {
                throw new IllegalArgumentException("there is no section " + key + ", but " + keys);
            }
        }
        return all.stream()
                .filter(section ->
                        order.sections().isEmpty() || order.sections().contains(section.key()))
                .toList();
    }
}
