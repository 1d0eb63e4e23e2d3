package io.holdfast.benchmarks.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class RequestTest {

    private final List<Section<Arena>> all = List.of(new Tried("uncontended"), new Tried("held-10000"));

    @Test
    void withoutArgumentsEverythingIsMeasuredForThePage() {
        Request request = Request.parse(List.of());

        assertThat(request.choose(all)).isEqualTo(all);
        assertThat(request.isForThePage()).isTrue();
        assertThat(request.rounds()).isEqualTo(5);
    }

    @Test
    void quickLookLeavesThePageAlone() {
        assertThat(Request.parse(List.of("--quick")).isForThePage()).isFalse();
    }

    @Test
    void roundsAndSectionsCanBeChosen() {
        Request request = Request.parse(List.of("held-10000", "--rounds", "3"));

        assertThat(request.choose(all)).extracting(Section::key).containsExactly("held-10000");
        assertThat(request.rounds()).isEqualTo(3);
    }

    @Test
    void entrantsCanBeChosen() {
        Request request = Request.parse(List.of("--only", "^Hold"));

        assertThat(request.isWanted(Somebody.US)).isTrue();
        assertThat(request.isWanted(Somebody.ELSE)).isFalse();
        assertThat(request.isForThePage()).isFalse();
    }

    @Test
    void nonsenseIsRefused() {
        assertThatThrownBy(() -> Request.parse(List.of("--fast"))).hasMessageContaining("--fast");
        assertThatThrownBy(() -> Request.parse(List.of("--rounds"))).hasMessageContaining("--rounds");
        assertThatThrownBy(() -> Request.parse(List.of("--rounds", "0"))).hasMessageContaining("'0'");
        assertThatThrownBy(() -> Request.parse(List.of("dance")).choose(all)).hasMessageContaining("uncontended");
    }
}
