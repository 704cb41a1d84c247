package io.verbena.verbs.natives.internal;

/** The calls of the C library that waiting on descriptors takes. Any thread. */
interface Posix {
    /** An eventfd, not blocking, that a thread in {@link #poll} can be woken with. */
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
     * @param timeoutMillis negative for without end
     */
    void poll(PollSet set, int timeoutMillis) throws NativeException;

    /** The system's text for an error number. */
    String errorText(int errno);
}
