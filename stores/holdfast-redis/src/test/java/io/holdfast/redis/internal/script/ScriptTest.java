package io.holdfast.redis.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ScriptTest {

    private static final Set<String> GIVEN_BY_REDIS = Set.of("KEYS", "ARGV");

    @ParameterizedTest
    @EnumSource
    void constantsAndArgumentsAreDeclaredInTheScript(Script script) {
        String code = code(script);
        Set<String> used = new TreeSet<>();
        Pattern.compile("\\b[A-Z][A-Z_]+\\b").matcher(code).results().forEach(found -> used.add(found.group()));
        used.removeAll(GIVEN_BY_REDIS);

        assertThat(used).allSatisfy(name -> assertThat(code).containsPattern("(?m)^local ([A-Z_]+, )*" + name + "\\b"));
        assertThat(script.body()).doesNotContain("--@").containsPattern("(?m)^local [\\w, ]+ = unpack\\(ARGV\\)$");
    }

    @Test
    void everySharedConstantIsUsedByAScriptWithTheValueOfJava() {
        Map<String, String> literals = ScriptConstants.literals();
        String all = Arrays.stream(Script.values()).map(ScriptTest::code).collect(Collectors.joining());
        assertThat(literals).containsEntry("REPLY_GRANTED", "1").containsEntry("LAYOUT", "'2'");

        for (String name : literals.keySet()) {
            assertThat(Pattern.compile("\\b" + name + "\\b")
                            .matcher(all)
                            .results()
                            .count())
                    .as("%s is declared and used", name)
                    .isGreaterThan(1);
        }
    }

    @Test
    void codesOfRepliesDiffer() {
        assertThat(Arrays.stream(ReplyCode.values()).map(ReplyCode::code)).doesNotHaveDuplicates();
        assertThatThrownBy(() -> AcquireReply.of(List.of(99L)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Unknown reply");
    }

    @Test
    void wrongNumberOfArgumentsIsRefused() {
        Script.INSPECT.checkArguments(1, 1);
        Script.RENEW.checkArguments(2, 7);
        assertThatThrownBy(() -> Script.ACQUIRE.checkArguments(1, 9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("ACQUIRE needs 10 arguments, not 9");
    }

    /** Without comments and strings. */
    private static String code(Script script) {
        return script.body().replaceAll("(?m)--.*$", "").replaceAll("'[^'\\n]*'", "''");
    }
}
