package io.verbena.verbs.natives.internal;

import com.kenai.jffi.LastError;

/** What calls have failed with. The system's {@code errno} is that of this thread's last native call. */
final class Errors {
    private static final LastError LAST = LastError.getInstance();

    private final Posix posix;

    Errors(Posix posix) {
        this.posix = posix;
    }

    static int last() {
        return LAST.get();
    }

    NativeException of(String call, int errno) {
        return new NativeException(call, errno, posix.errorText(errno));
    }

    /** For a call that returns -1 and sets {@code errno}. */
    void check(String call, int result) throws NativeException {
        if (result != 0) {
            throw of(call, last());
        }
    }

    /** For a call that returns an error number; some of these return -1 and set {@code errno}. */
    void checkNumber(String call, int result) throws NativeException {
        if (result != 0) {
            throw of(call, result > 0 ? result : last());
        }
    }

    /** For a call that returns a pointer, or null and sets {@code errno}. */
    long checkPointer(String call, long result) throws NativeException {
        if (result == 0) {
            throw of(call, last());
        }
        return result;
    }
}
