package io.holdfast.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A markdown text, taken apart as far as the checks need it.
 *
 * @param blocks the fenced code blocks
 * @param links the targets of links and images outside code
 */
record Markdown(List<Block> blocks, List<String> links) {

    private static final Pattern FENCE = Pattern.compile("\\s*(`{3,}|~{3,})\\s*([^\\s`]*)[^`]*");
    private static final Pattern CODE_SPAN = Pattern.compile("(`+).*?\\1");
    private static final Pattern LINK = Pattern.compile("\\]\\(\\s*<?([^\\s()<>]+)>?[^()]*\\)"
            + "|^\\s{0,3}\\[[^\\]]+\\]:\\s+<?([^\\s<>]+)>?"
            + "|\\b(?:href|src)=\"([^\"]+)\"");

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
                before = line.strip();
            }
            index++;
        }
        return new Markdown(List.copyOf(blocks), List.copyOf(links));
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
