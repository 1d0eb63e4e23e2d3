package io.holdfast.redis;

import io.holdfast.spi.Claim;
import io.holdfast.spi.Grant;
import io.holdfast.spi.Moment;
import io.holdfast.spi.Scheduler;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A claim that waits for its turn: asks now and then, and listens in between. */
final class Wait {

    /*
     * Nothing hangs on a message. It only saves time: whoever is at the head asks every second, which is less than a grant
     * that was pushed lasts, so a claim whose message was lost finds its grant by asking. The others ask more rarely, the
     * further back the more; that is also how the server knows that they live.
     *
     * At most one request is under way at a time; a reason to ask that comes meanwhile makes the next one follow at once.
     * `asking`, `askAgain` and `finished` change only under the mutex, and whoever clears `asking` looks at `askAgain` in the
     * same step.
     *
     * The time of a pushed grant. It was made when the server's clock showed S. A request of ours that left at t0 was
     * executed when the same clock showed s0, so not before t0; hence the grant was made at t0 + (S - s0) or later, and
     * counting from there is counting from too early, which is safe; and not later than when the message came, which also
     * covers a server clock that was stepped forward meanwhile. Another server process has another clock: then the claim
     * asks, and counts from that.
     */
    private static final long ASK = TimeUnit.SECONDS.toNanos(1);
    private static final long LONGEST_ASK = 30;
    private static final long STEP_BEHIND = TimeUnit.MILLISECONDS.toNanos(200);

    private final RedisStore store;
    private final Claim claim;
    private final CompletableFuture<Optional<Grant>> answer = new CompletableFuture<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private boolean asking;
    private boolean askAgain;
    private boolean finished;
    /** The last thing it did was to see to its channel. */
    private boolean listened;

    private String place = "";
    private @Nullable Moment sentAt;
    private Reply.@Nullable Queued queued;
    private Scheduler.@Nullable Task timer;

    /** A message that has overtaken the answer to the first request, and when it came. */
    private @Nullable Push early;

    private @Nullable Moment earlyAt;

    Wait(RedisStore store, Claim claim) {
        this.store = store;
        this.claim = claim;
    }

    Claim claim() {
        return claim;
    }

    CompletableFuture<Optional<Grant>> answer() {
        return answer;
    }

    /** Asks now, or as soon as the request that is under way was answered. */
    void ask() {
        String arrival;
        mutex.lock();
        try {
            if (finished) {
                return;
            }
            if (asking) {
                askAgain = true;
                return;
            }
            asking = true;
            askAgain = false;
            cancelTimer();
            arrival = place;
        } finally {
            mutex.unlock();
        }
        var unused = store.ask(claim, arrival).whenComplete(this::answered);
    }

    /** The message has come. */
    void pushed(Push push, Moment received) {
        Grant grant = null;
        mutex.lock();
        try {
            if (queued == null && asking) {
                early = push;
                earlyAt = received;
                return;
            }
            // One that is older than the answer was over by then, or it would have been found.
            if (!finished
                    && queued != null
                    && sentAt != null
                    && push.run().equals(queued.run())
                    && push.time() >= queued.time()) {
                Moment from =
                        earlier(sentAt.plusNanos(TimeUnit.MICROSECONDS.toNanos(push.time() - queued.time())), received);
                grant = new Grant(
                        claim,
                        push.token(),
                        push.tokens(),
                        from,
                        Duration.ofNanos(TimeUnit.MICROSECONDS.toNanos(push.window())));
            }
        } finally {
            mutex.unlock();
        }
        if (grant == null || store.needsReplicas()) {
            ask();
        } else {
            // Before the wait is over, for the same message may be coming once more.
            store.tookPush(claim);
            finish(grant, null);
        }
    }

    /** On each clock by itself: while the machine slept, one of them stood still. */
    static Moment earlier(Moment one, Moment other) {
        return new Moment(
                one.nanos() - other.nanos() < 0 ? one.nanos() : other.nanos(),
                Math.min(one.wallMicros(), other.wallMicros()));
    }

    /** Nobody wants it any more. Returns whether a request of it is under way. */
    boolean end() {
        mutex.lock();
        try {
            finished = true;
            cancelTimer();
            return asking;
        } finally {
            mutex.unlock();
        }
    }

    void fail(Throwable failure) {
        finish(null, failure);
    }

    private void answered(RedisStore.@Nullable Answer reply, @Nullable Throwable failure) {
        if (reply == null) {
            notAsking();
            finish(null, failure);
        } else {
            answered(reply.reply(), reply.sent());
        }
    }

    private void answered(Reply reply, Moment sent) {
        if (reply instanceof Reply.Queued wait) {
            sleep(wait, sent);
        } else if (reply instanceof Reply.Deaf) {
            listen();
        } else {
            notAsking();
            if (reply instanceof Reply.Granted granted) {
                finish(store.grant(claim, granted, sent), null);
            } else {
                finish(null, store.refusal(claim, reply));
            }
        }
    }

    /** Meanwhile it counts as asking: whoever wants it to ask again is served by what follows. */
    private void listen() {
        boolean inVain;
        boolean again = false;
        mutex.lock();
        try {
            inVain = listened;
            listened = !inVain;
            if (inVain && !finished) {
                // It is subscribed, but the server that has the key does not see it; as while a slot moves. That takes
                // time.
                asking = false;
                again = askAgain;
                if (!again) {
                    timer = store.schedule(this::ask, ASK);
                }
            }
        } finally {
            mutex.unlock();
        }
        if (again) {
            ask();
        } else if (!inVain) {
            var unused = store.listen(claim).whenComplete((done, deaf) -> {
                notAsking();
                if (deaf != null) {
                    store.deaf(deaf);
                    finish(null, deaf);
                } else {
                    ask();
                }
            });
        }
    }

    private void notAsking() {
        mutex.lock();
        try {
            asking = false;
        } finally {
            mutex.unlock();
        }
    }

    private void sleep(Reply.Queued reply, Moment sent) {
        boolean again;
        Push before;
        Moment beforeAt;
        mutex.lock();
        try {
            asking = false;
            listened = false;
            queued = reply;
            sentAt = sent;
            place = reply.place();
            before = early;
            beforeAt = earlyAt;
            early = null;
            again = askAgain;
            if (!again && !finished) {
                timer = store.schedule(this::ask, delay(reply));
            }
        } finally {
            mutex.unlock();
        }
        if (before != null && beforeAt != null) {
            pushed(before, beforeAt);
        } else if (again) {
            ask();
        }
    }

    /**
     * The first two ask every second, the others less often the further back they are. All ask after the end of the holder's
     * lease, one after the other: those in front may have left, and then it is whoever was behind them that finds it over.
     */
    private static long delay(Reply.Queued reply) {
        if (reply.again() > 0) {
            return 0;
        }
        long interval = reply.position() <= 2 ? ASK : Math.min(reply.position(), LONGEST_ASK) * ASK;
        long afterTheLease =
                TimeUnit.MICROSECONDS.toNanos(reply.untilFree() + 1) + (reply.position() - 1) * STEP_BEHIND;
        return Math.min(interval, afterTheLease);
    }

    private void finish(@Nullable Grant grant, @Nullable Throwable failure) {
        boolean unanswered;
        mutex.lock();
        try {
            if (finished) {
                return;
            }
            unanswered = asking;
            finished = true;
            cancelTimer();
        } finally {
            mutex.unlock();
        }
        store.waited(this, failure != null || unanswered);
        if (failure != null) {
            answer.completeExceptionally(failure);
        } else {
            answer.complete(Optional.ofNullable(grant));
        }
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
