package io.verbena.verbs.natives.internal.library;

import io.verbena.verbs.natives.internal.struct.PollSet;

/** The calls of the C library for waiting on descriptors. Any thread. */
public interface Posix {
    /** Creates a non-blocking eventfd, which wakes a thread in {@link #poll}. */
    int createEventFd() throws NativeException;

    /** Makes an eventfd readable. */
    void signal(int eventFd) throws NativeException;

    /** Makes an eventfd not readable again. */
    void clear(int eventFd) throws NativeException;

    void close(int fd) throws NativeException;

    void setNonBlocking(int fd) throws NativeException;

    /**
     * Waits until a descriptor is ready. A signal may end it early.
     *
     * @param timeoutMillis negative for no end
     */
    void poll(PollSet set, int timeoutMillis) throws NativeException;

    /** The system's text for an error number. */
    String errorText(int errno);
}
