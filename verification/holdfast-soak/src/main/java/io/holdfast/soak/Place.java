package io.holdfast.soak;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** Where the locks of one round are, and the data that they guard. */
interface Place extends AutoCloseable {

    /** Where those who lock connect. */
    String locks();

    /** Where those who write connect; no network that fails is on that way. */
    String data();

    /** Does it, and returns when it is over. */
    void cause(Fault fault, Random dice);

    /** Nothing fails from now on. */
    void heal();

    /** When locks were lost. */
    Losses losses();

    /** What stands behind the fence, by name. */
    Map<String, List<FencedWrites.Entry>> written(Names names);

    /** What is left, now that nobody but the caller uses it. */
    List<String> leftovers(Duration patience);

    @Override
    void close();
}
