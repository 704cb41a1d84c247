package io.verbena.verbs.natives.internal;

import java.nio.ByteBuffer;

/** {@link Posix} through jnr-ffi. */
final class JnrPosix implements Posix {
    private static final int MAX_TEXT = 256;

    private final CLibrary library;
    private final Errors errors = new Errors(this);

    /** What is written to an eventfd, and where what is read goes: nobody looks at that, so threads may share it. */
    private final ByteBuffer one = NativeMemory.allocate(Long.BYTES).putLong(0, 1);

    private final ByteBuffer ignored = NativeMemory.allocate(Long.BYTES);
    private final long oneAddress = NativeMemory.addressOf(one);
    private final long ignoredAddress = NativeMemory.addressOf(ignored);

    JnrPosix(CLibrary library) {
        this.library = library;
    }

    @Override
    public int createEventFd() throws NativeException {
        int fd = library.eventfd(0, Layout.EFD_NONBLOCK | Layout.EFD_CLOEXEC);
        if (fd < 0) {
            throw errors.of("eventfd", Errors.last());
        }
        return fd;
    }

    @Override
    public void signal(int eventFd) throws NativeException {
        transferred("write", library.write(eventFd, oneAddress, Long.BYTES));
    }

    @Override
    public void clear(int eventFd) throws NativeException {
        transferred("read", library.read(eventFd, ignoredAddress, Long.BYTES));
    }

    /** Would-block means of an eventfd that it is readable, or not readable, already. */
    private void transferred(String call, long octets) throws NativeException {
        if (octets < 0 && Errors.last() != Layout.EAGAIN) {
            throw errors.of(call, Errors.last());
        }
    }

    @Override
    public void close(int fd) throws NativeException {
        errors.check("close", library.close(fd));
    }

    @Override
    public void setNonBlocking(int fd) throws NativeException {
        int flags = library.fcntl(fd, Layout.F_GETFL, 0);
        if (flags < 0 || library.fcntl(fd, Layout.F_SETFL, flags | Layout.O_NONBLOCK) < 0) {
            throw errors.of("fcntl", Errors.last());
        }
    }

    @Override
    public void poll(PollSet set, int timeoutMillis) throws NativeException {
        if (library.poll(set.address(), set.size(), timeoutMillis) < 0) {
            int errno = Errors.last();
            if (errno != Layout.EINTR) {
                throw errors.of("poll", errno);
            }
            set.clearReady();
        }
    }

    @Override
    public String errorText(int errno) {
        return NativeMemory.getString(library.strerror(errno), MAX_TEXT);
    }
}
