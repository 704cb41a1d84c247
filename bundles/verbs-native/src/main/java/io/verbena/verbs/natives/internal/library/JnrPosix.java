package io.verbena.verbs.natives.internal.library;

import io.verbena.verbs.natives.internal.struct.NativeConstants;
import io.verbena.verbs.natives.internal.struct.NativeMemory;
import io.verbena.verbs.natives.internal.struct.PollSet;
import java.nio.ByteBuffer;

/** {@link Posix} through jnr-ffi. */
public final class JnrPosix implements Posix {
    private static final int MAX_TEXT = 256;

    private final CLibrary library;
    private final CallErrors errors = new CallErrors(this);

    /**
     * The value written to an eventfd, and the target of reads from one. The value read is not used, so threads may
     * share it.
     */
    private final ByteBuffer one = NativeMemory.allocate(Long.BYTES).putLong(0, 1);

    private final ByteBuffer ignored = NativeMemory.allocate(Long.BYTES);
    private final long oneAddress = NativeMemory.addressOf(one);
    private final long ignoredAddress = NativeMemory.addressOf(ignored);

    public JnrPosix(CLibrary library) {
        this.library = library;
    }

    @Override
    public int createEventFd() throws NativeException {
        int fd = library.eventfd(0, NativeConstants.EFD_NONBLOCK | NativeConstants.EFD_CLOEXEC);
        if (fd < 0) {
            throw errors.of("eventfd", CallErrors.last());
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

    /**
     * Checks a write or read of an eventfd. EAGAIN means that the eventfd is already readable, or already not readable.
     */
    private void transferred(String call, long octets) throws NativeException {
        if (octets < 0 && CallErrors.last() != NativeConstants.EAGAIN) {
            throw errors.of(call, CallErrors.last());
        }
    }

    @Override
    public void close(int fd) throws NativeException {
        errors.check("close", library.close(fd));
    }

    @Override
    public void setNonBlocking(int fd) throws NativeException {
        int flags = library.fcntl(fd, NativeConstants.F_GETFL, 0);
        if (flags < 0 || library.fcntl(fd, NativeConstants.F_SETFL, flags | NativeConstants.O_NONBLOCK) < 0) {
            throw errors.of("fcntl", CallErrors.last());
        }
    }

    @Override
    public void poll(PollSet set, int timeoutMillis) throws NativeException {
        if (library.poll(set.address(), set.size(), timeoutMillis) < 0) {
            int errno = CallErrors.last();
            if (errno != NativeConstants.EINTR) {
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
