package io.holdfast.servers;

import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/**
 * One direction of a {@link Link}.
 *
 * <p>One thread reads and another writes: one alone could not note when bytes arrive while it holds others back, and a delay
 * would add up along a pipeline. The end of a connection queues up behind the bytes, so that a stall holds it back, too, and
 * the other side does not learn of it.
 */
final class Pump {

    private static final int CHUNK = 1 << 16;
    private static final int QUEUED_CHUNKS = 1 << 8;

    private final Socket from;
    private final Socket to;
    private final List<Lane> lanes;
    private final Turns turns;
    private final BlockingQueue<Item> queue = new ArrayBlockingQueue<>(QUEUED_CHUNKS);
    private final List<Thread> threads;

    /** What the link has to say about what passes. */
    interface Turns {

        /** Whether bytes that have just arrived are to be passed on. */
        boolean arrive() throws IOException;

        /** Passes bytes on. */
        void depart(byte[] bytes) throws IOException;

        /** The sender has no more to say; this may still be on its way. */
        void ended();

        /** The receiver has been told that there is no more. */
        void told();

        /** The receiver is gone. */
        void gone() throws InterruptedException;

        /** The sender broke off. */
        void broken();
    }

    /** What has been read at once: bytes, or how the sender ended. */
    private static final class Item {

        enum Kind {
            BYTES,
            END,
            RESET
        }

        final Kind kind;
        final byte[] bytes;
        final long arrivedNanos = System.nanoTime();

        Item(Kind kind, byte... bytes) {
            this.kind = kind;
            this.bytes = bytes;
        }
    }

    Pump(String name, Socket from, Socket to, List<Lane> lanes, Turns turns) {
        this.from = from;
        this.to = to;
        this.lanes = lanes;
        this.turns = turns;
        this.threads = List.of(thread(name + "-reader", this::read), thread(name + "-writer", this::write));
    }

    void start() {
        threads.forEach(Thread::start);
    }

    /** Ends the threads; sockets have to be closed besides. */
    void stop() {
        threads.forEach(Thread::interrupt);
    }

    /** Queues up that the sender broke off. */
    void breakOff() throws InterruptedException {
        queue.put(new Item(Item.Kind.RESET));
    }

    private interface Loop {
        void run() throws InterruptedException;
    }

    private static Thread thread(String name, Loop loop) {
        Runnable body = () -> {
            try {
                loop.run();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            }
        };
        Thread thread = new Thread(body, name);
        thread.setDaemon(true);
        return thread;
    }

    private void read() throws InterruptedException {
        byte[] buffer = new byte[CHUNK];
        Item.Kind end = Item.Kind.END;
        try {
            for (int read = from.getInputStream().read(buffer);
                    read >= 0;
                    read = from.getInputStream().read(buffer)) {
                if (turns.arrive()) {
                    queue.put(new Item(Item.Kind.BYTES, Arrays.copyOf(buffer, read)));
                }
            }
        } catch (IOException broken) {
            end = Item.Kind.RESET;
        }
        turns.ended();
        queue.put(new Item(end));
    }

    private void write() throws InterruptedException {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                Item item = queue.take();
                for (Lane lane : lanes) {
                    lane.await(item.arrivedNanos);
                }
                switch (item.kind) {
                    case BYTES -> {
                        // First: whoever has seen them must find them counted.
                        lanes.forEach(lane -> lane.count(item.bytes.length));
                        turns.depart(item.bytes);
                    }
                    case END -> {
                        if (!to.isOutputShutdown()) {
                            to.shutdownOutput();
                        }
                        turns.told();
                    }
                    case RESET -> turns.broken();
                }
            }
        } catch (IOException receiverGone) {
            turns.gone();
        }
    }
}
