package io.verbena.verbs.natives.internal.library;

/** The functions of the C library that are called. Public, because jnr-ffi generates a class that implements it. */
public interface CLibrary {
    int eventfd(int initial, int flags);

    long read(int fd, long buffer, long length);

    long write(int fd, long buffer, long length);

    int close(int fd);

    int fcntl(int fd, int command, long argument);

    int poll(long fds, long count, int timeoutMillis);

    /** The address of the text. */
    long strerror(int errno);
}
