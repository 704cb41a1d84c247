package io.verbena.verbs.natives.internal.library;

import com.kenai.jffi.LastError;

/** The errors of failed calls. {@link #last} is the {@code errno} of the calling thread's last native call. */
final class CallErrors {
    private static final LastError LAST = LastError.getInstance();

    private final Posix posix;

    CallErrors(Posix posix) {
        this.posix = posix;
    }

    static int last() {
        return LAST.get();
    }

    NativeException of(String call, int errno) {
        return new NativeException(call, errno, posix.errorText(errno));
    }

    /** Checks a call that returns -1 and sets {@code errno}. */
    void check(String call, int result) throws NativeException {
        if (result != 0) {
            throw of(call, last());
        }
    }

    /** Checks a call that returns an error number; some of these return -1 and set {@code errno}. */
    void checkNumber(String call, int result) throws NativeException {
        if (result != 0) {
            throw of(call, result > 0 ? result : last());
        }
    }

    /** Checks a call that returns a pointer, or null and sets {@code errno}. */
    long checkPointer(String call, long result) throws NativeException {
        if (result == 0) {
            throw of(call, last());
        }
        return result;
    }
}
