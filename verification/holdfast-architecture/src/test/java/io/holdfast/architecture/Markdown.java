package io.holdfast.architecture;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A markdown text, taken apart as far as the checks need it.
 *
 * @param blocks the fenced code blocks
 * @param links the targets of links and images outside code
 * @param anchors the headings, as a link names them after the {@code #}
 */
record Markdown(List<Block> blocks, List<String> links, Set<String> anchors) {

    private static final Pattern FENCE = Pattern.compile("\\s*(`{3,}|~{3,})\\s*([^\\s`]*)[^`]*");
    private static final Pattern CODE_SPAN = Pattern.compile("(`+).*?\\1");
    private static final Pattern LINK = Pattern.compile("\\]\\(\\s*<?([^\\s()<>]+)>?[^()]*\\)"
            + "|^\\s{0,3}\\[[^\\]]+\\]:\\s+<?([^\\s<>]+)>?"
            + "|\\b(?:href|src)=\"([^\"]+)\"");
    private static final Pattern HEADING = Pattern.compile("#{1,6}\\s+(.*?)\\s*#*\\s*");
    private static final Pattern LINK_TEXT = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N} _-]");

    /**
     * A fenced code block.
     *
     * @param line where it starts, from 1
     * @param language what the fence says it is; may be empty
     * @param before the last line before it that is not blank; may be empty
     * @param text the lines between the fences
     */
    record Block(int line, String language, String before, String text) {}

    static Markdown parse(String text) {
        List<Block> blocks = new ArrayList<>();
        List<String> links = new ArrayList<>();
        Set<String> anchors = new HashSet<>();
        List<String> lines = text.lines().toList();
        String before = "";
        int index = 0;
        while (index < lines.size()) {
            String line = lines.get(index);
            Matcher fence = FENCE.matcher(line);
            if (fence.matches()) {
                int end = endOfBlock(lines, index + 1, fence.group(1));
                blocks.add(
                        new Block(index + 1, fence.group(2), before, String.join("\n", lines.subList(index + 1, end))));
                before = "";
                index = end;
            } else if (!line.isBlank()) {
                collectLinks(line, links);
                Matcher heading = HEADING.matcher(line);
                if (heading.matches()) {
                    addAnchor(heading.group(1), anchors);
                }
                before = line.strip();
            }
            index++;
        }
        return new Markdown(List.copyOf(blocks), List.copyOf(links), Set.copyOf(anchors));
    }

    /** As GitHub makes it: lower case, hyphens for spaces, no punctuation, a number at the second of the same name. */
    private static void addAnchor(String heading, Set<String> anchors) {
        String text = LINK_TEXT.matcher(heading).replaceAll("$1").toLowerCase(Locale.ROOT);
        String anchor = NOT_IN_ANCHORS.matcher(text).replaceAll("").replace(' ', '-');
        String unique = anchor;
        for (int number = 1; !anchors.add(unique); number++) {
            unique = anchor + '-' + number;
        }
    }

    /** The closing fence has the sign of the opening one, at least as often, and nothing else. */
    private static int endOfBlock(List<String> lines, int from, String opening) {
        for (int index = from; index < lines.size(); index++) {
            String line = lines.get(index).strip();
            if (line.startsWith(opening)
                    && line.replace(opening.substring(0, 1), "").isEmpty()) {
                return index;
            }
        }
        return lines.size();
    }

    private static void collectLinks(String line, List<String> links) {
        Matcher matcher = LINK.matcher(CODE_SPAN.matcher(line).replaceAll("code"));
        while (matcher.find()) {
            for (int group = 1; group <= matcher.groupCount(); group++) {
                String target = matcher.group(group);
                if (target != null) {
                    links.add(target);
                }
            }
        }
    }
}
