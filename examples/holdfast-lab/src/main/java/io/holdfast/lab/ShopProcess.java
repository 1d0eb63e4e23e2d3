package io.holdfast.lab;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.concurrent.TimeoutException;

/**
 * One process of a {@link ProcessGroup}. For each line of its input it opens a shop, prints that it is open, waits for
 * another line, lets its crowd in, and prints how many customers were served, how many failed, and how many commands were
 * sent. It ends when its input ends, so it also ends when its parent is killed.
 */
final class ShopProcess {

    static final String OPEN = "open";

    private ShopProcess() {}

    /** The argument is the file with the stock. */
    public static void main(String[] arguments) throws IOException, InterruptedException, TimeoutException {
        Path stock = Path.of(arguments[0]);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            String[] order = line.split("\t", -1);
            Crowd crowd = Crowd.parse(order[2]);
            try (Shop shop = Strategy.named(order[1], order[0]).open(AppleStock.in(stock, crowd.roundTrip()))) {
                // One customer who wants nothing: classes are loaded and connections opened before the time runs.
                shop.sell(0);
                System.out.println(OPEN);
                if (input.readLine() != null) {
                    Tally tally = crowd.visit(shop);
                    System.out.println(tally.served() + " " + tally.failed() + " " + tally.commands());
                }
            }
        }
    }

    /** What makes a process open the shop of {@code strategy} at {@code url} for {@code crowd}. */
    static String order(Strategy strategy, String url, Crowd crowd) {
        return String.join("\t", url, strategy.name(), crowd.line());
    }
}
