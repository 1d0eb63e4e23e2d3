package io.holdfast.servers;

import java.util.ArrayList;
import java.util.List;

/** Puts command lines together. */
final class Words {

    private Words() {}

    static List<String> of(List<String> first, String... more) {
        List<String> all = new ArrayList<>(first);
        all.addAll(List.of(more));
        return all;
    }
}
