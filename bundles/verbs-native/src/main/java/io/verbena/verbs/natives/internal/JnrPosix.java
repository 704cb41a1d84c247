package io.verbena.verbs.natives.internal;

/** {@link Posix} through jnr-ffi. */
final class JnrPosix implements Posix {
    private static final int MAX_TEXT = 256;

    private final CLibrary library;
    private final Errors errors = new Errors(this);

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
        try (Scratch one = new Scratch(Long.BYTES)) {
            one.putLong(0, 1);
            transferred("write", library.write(eventFd, one.address(), Long.BYTES));
        }
    }

    @Override
    public void clear(int eventFd) throws NativeException {
        try (Scratch count = new Scratch(Long.BYTES)) {
            transferred("read", library.read(eventFd, count.address(), Long.BYTES));
        }
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
    public int poll(PollSet set, int timeoutMillis) throws NativeException {
        int ready = library.poll(set.address(), set.size(), timeoutMillis);
        if (ready < 0) {
            int errno = Errors.last();
            if (errno != Layout.EINTR) {
                throw errors.of("poll", errno);
            }
            set.clearReady();
            return 0;
        }
        return ready;
    }

    @Override
    public String errorText(int errno) {
        return NativeMemory.getString(library.strerror(errno), MAX_TEXT);
    }
}
