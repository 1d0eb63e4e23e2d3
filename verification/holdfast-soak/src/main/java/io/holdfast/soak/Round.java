package io.holdfast.soak;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** One server, from its start until all is quiet again, and the judgement. */
final class Round {

    private final Plan plan;
    private final int number;
    private final Deck deck;
    private final Logbook log;
    private final Report report;
    private final Names names;
    private final Records records = new Records();
    private final List<Team> teams = new ArrayList<>();

    Round(Plan plan, int number, Deck deck, Logbook log, Report report) {
        this.plan = plan;
        this.number = number;
        this.deck = deck;
        this.log = log;
        this.report = report;
        this.names = plan.names(number);
    }

    void run() {
        try (Stage stage = new Stage(plan.store().start(number, names))) {
            log.say("round " + number + ", " + stage.place());
            open(stage);
            fail(stage);
            log.say("no more faults");
            stage.heal();
            calm(stage);
            close(stage);
            report.add(stage.place().leftovers(Leftovers.PATIENCE));
            report.add(Leftovers.threads(Leftovers.PATIENCE));
            judge(stage);
        }
    }

    private void open(Stage stage) {
        SplittableRandom dice = new SplittableRandom(plan.seed() + number);
        for (int i = 1; i <= plan.children(); i++) {
            Child child = new Child(
                    "c" + number + "-" + i, plan.childArguments(names, stage.place()), dice.nextLong(), records);
            stage.children().add(child);
            child.start();
        }
        for (int i = 1; i <= plan.teams(); i++) {
            String name = "p" + number + "-" + i;
            teams.add(new Team(
                    name,
                    names,
                    plan.lockers().open(stage.place().locks(), name),
                    plan.data().open(stage.place().data(), name),
                    records));
        }
        teams.forEach(team -> team.start(plan.threads(), dice.split(), plan.habits()));
    }

    private void fail(Stage stage) {
        long end = System.nanoTime() + plan.round().toNanos();
        while (System.nanoTime() < end) {
            Length.pass(Duration.ofMillis(deck.dice().nextInt(100, 1_200)));
            Fault fault = deck.draw();
            log.say(fault.toString());
            stage.cause(fault, deck.dice());
            log.say(fault + ": over");
            report.add(fault);
        }
    }

    /** Nothing fails any more: everybody gets on, stops, and everything can be had by everybody. */
    private void calm(Stage stage) {
        teams.forEach(Team::getsOn);
        stage.children().forEach(child -> child.order("getOn"));
        stage.children().forEach(child -> child.order("stop"));
        teams.forEach(Team::stop);
        stage.children().forEach(child -> child.order("take"));
        teams.forEach(team -> team.takesEverything(true));
    }

    private void close(Stage stage) {
        teams.forEach(Team::close);
        stage.children().forEach(child -> {
            child.order("close");
            child.close();
        });
        log.say("closed");
    }

    private void judge(Stage stage) {
        Set<String> killed = new HashSet<>();
        stage.children().forEach(child -> killed.addAll(child.killed()));
        List<Section> sections = records.sections();
        Losses losses = stage.place().losses();
        report.add(records);
        report.add(new Exclusion(losses).check(sections, names.capacities()));
        report.add(new TokenOrder(losses).check(sections));
        report.add(FencedWrites.check(stage.place().written(names), records.writes(), killed));
        report.lost(losses.count());
        report.killed(killed.size());
        log.say("judged: " + report.violations().size() + " violations so far");
    }
}
