package io.holdfast.benchmarks.kit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.util.Base64;

/** What a forked JVM is asked to do. */
public interface Task extends Serializable {

    /** Does it. */
    Answer run(Cue cue) throws InterruptedException;

    /** Whether the JVM that does it leaves the processors to the server. */
    default boolean isModest() {
        return false;
    }

    /** Whether the JVM that does it has the jars of the {@link EarlierBuild}. */
    default boolean isEarlier() {
        return false;
    }

    /** For a command line; {@link #parse} reads it. */
    default String text() {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream objects = new ObjectOutputStream(bytes)) {
            objects.writeObject(this);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    static Task parse(String text) {
        byte[] bytes = Base64.getDecoder().decode(text);
        try (ObjectInputStream objects = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (Task) objects.readObject();
        } catch (IOException | ClassNotFoundException unreadable) {
            throw new IllegalArgumentException("no such task: " + text, unreadable);
        }
    }
}
