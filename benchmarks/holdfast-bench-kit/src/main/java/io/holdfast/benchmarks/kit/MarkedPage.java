package io.holdfast.benchmarks.kit;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Markdown page with places that are written by a program, each between {@code <!-- bench: KEY -->} and
 * {@code <!-- end: KEY -->}. The rest is written by people and stays as it is.
 */
record MarkedPage(String text) {

    /**
     * The page with something else in that place.
     *
     * @throws IllegalArgumentException if there is no such place
     */
    MarkedPage with(String key, String content) {
        String begin = "<!-- bench: " + key + " -->\n";
        String end = "<!-- end: " + key + " -->";
        Matcher place = Pattern.compile(Pattern.quote(begin) + ".*?" + Pattern.quote(end), Pattern.DOTALL)
                .matcher(text);
        if (!place.find()) {
            throw new IllegalArgumentException("the page has no place for " + key);
        }
        return new MarkedPage(text.substring(0, place.start()) + begin + content + end + text.substring(place.end()));
    }
}
