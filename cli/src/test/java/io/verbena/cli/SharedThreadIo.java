package io.verbena.cli;

import org.apache.felix.gogo.runtime.threadio.ThreadIOImpl;

/**
 * The streams of all shells of the JVM's tests. They are started once and never stopped. An interrupted thread of a
 * shell may end after its test, and sets the streams of the JVM to those of its shell when it ends. The streams of
 * another shell could then not be started.
 */
public final class SharedThreadIo {
    private static final ThreadIOImpl STARTED = started();

    private SharedThreadIo() {}

    /** Returns the streams, which distinguish the threads. */
    public static ThreadIOImpl get() {
        return STARTED;
    }

    private static ThreadIOImpl started() {
        ThreadIOImpl threadIo = new ThreadIOImpl();
        threadIo.start();
        return threadIo;
    }
}
