package io.holdfast.architecture;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Compares documents with the repository they are in: Java samples with the source they were taken from, links with the
 * files and headings they lead to.
 *
 * <pre>{@code
 * <!-- sample: examples/holdfast-samples/src/main/java/io/holdfast/samples/Hotel.java#reserve -->
 * <!-- sample: src/main/java/io/holdfast/samples/Hotel.java#reserve -->   (of examples/holdfast-samples)
 * <!-- sample: none, the class is the reader's own -->
 * }</pre>
 *
 * <p>The source holds the sample between the lines {@code // region reserve} and {@code // endregion}.
 */
final class DocsCheck {

    private static final String SAMPLES = "examples/holdfast-samples/";

    private static final Pattern TAKEN_FROM = Pattern.compile("<!-- sample: (\\S+\\.java)#(\\S+) -->");
    private static final Pattern TAKEN_FROM_NOWHERE = Pattern.compile("<!-- sample: none, \\S.* -->");
    private static final Pattern SCHEME = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:.*");

    private final Path root;

    DocsCheck(Path root) {
        this.root = root;
    }

    /** What is wrong in the document {@code file}; empty if nothing is. */
    List<String> problems(Path file) {
        Markdown document = Markdown.parse(Repository.read(file));
        List<String> problems = new ArrayList<>();
        for (Markdown.Block block : document.blocks()) {
            if (block.language().equalsIgnoreCase("java")) {
                problemOf(block).ifPresent(problem -> problems.add(at(file) + ':' + block.line() + ": " + problem));
            }
        }
        for (String link : document.links()) {
            if (isBroken(link, file)) {
                problems.add(at(file) + ": link leads nowhere: " + link);
            }
        }
        return problems;
    }

    private Optional<String> problemOf(Markdown.Block block) {
        if (TAKEN_FROM_NOWHERE.matcher(block.before()).matches()) {
            return Optional.empty();
        }
        Matcher marker = TAKEN_FROM.matcher(block.before());
        if (!marker.matches()) {
            return Optional.of("Java block without a line <!-- sample: FILE.java#REGION --> or"
                    + " <!-- sample: none, REASON --> before it");
        }
        String path = marker.group(1);
        Path source = root.resolve(path.startsWith("src/") ? SAMPLES + path : path);
        if (!Files.isRegularFile(source)) {
            return Optional.of("no such file: " + at(source));
        }
        String region = marker.group(2);
        String expected = region(Repository.read(source), region);
        if (expected.isEmpty()) {
            return Optional.of("no region " + region + " in " + at(source));
        }
        String found = block.text().stripIndent().strip();
        return expected.equals(found)
                ? Optional.empty()
                : Optional.of("differs from region " + region + " of " + at(source) + ", which is:\n" + expected);
    }

    /** The text of a region, without the marks of regions inside it. A region in several parts, such as imports and code, is joined. */
    private static String region(String source, String name) {
        List<String> parts = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        int depth = 0;
        for (String line : source.lines().toList()) {
            String mark = line.strip();
            if (mark.startsWith("// region ")) {
                if (depth > 0 || mark.equals("// region " + name)) {
                    depth++;
                }
            } else if (mark.equals("// endregion")) {
                if (depth == 1) {
                    parts.add(String.join("\n", lines).stripIndent().strip());
                    lines.clear();
                }
                depth = Math.max(0, depth - 1);
            } else if (depth > 0) {
                lines.add(line);
            }
        }
        return String.join("\n\n", parts);
    }

    private boolean isBroken(String link, Path file) {
        if (SCHEME.matcher(link).matches() || link.startsWith("//")) {
            return false;
        }
        URI uri = URI.create(link);
        String path = uri.getPath();
        Path target = path.isEmpty()
                ? file
                : (path.startsWith("/") ? root.resolve(path.substring(1)) : file.resolveSibling(path)).normalize();
        if (!target.startsWith(root) || !Files.exists(target)) {
            return true;
        }
        String anchor = uri.getFragment();
        return anchor != null
                && target.toString().endsWith(".md")
                && !Markdown.parse(Repository.read(target)).anchors().contains(anchor);
    }

    private String at(Path file) {
        return root.relativize(file).toString().replace('\\', '/');
    }
}
