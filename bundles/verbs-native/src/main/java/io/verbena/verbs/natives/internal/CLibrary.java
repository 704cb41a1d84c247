package io.verbena.verbs.natives.internal;

/** The functions of the C library that are called. Public for jnr-ffi, whose classes implement it. */
public interface CLibrary {
    int eventfd(int initial, int flags);

    long read(int fd, long buffer, long length);

    long write(int fd, long buffer, long length);

    int close(int fd);

    int fcntl(int fd, int command, long argument);

    int poll(long fds, long count, int timeoutMillis);

    /** The text's address. */
    long strerror(int errno);
}
