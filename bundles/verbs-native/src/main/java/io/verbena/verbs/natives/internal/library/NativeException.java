package io.verbena.verbs.natives.internal.library;

import java.io.IOException;

/** A call of libibverbs, librdmacm or the C library has failed. */
public final class NativeException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int errno;

    /**
     * @param call the C function, such as {@code rdma_resolve_addr}
     * @param errno the system's error number
     * @param meaning the system's text for the error number
     */
    public NativeException(String call, int errno, String meaning) {
        super(call + " failed: " + meaning + " (errno " + errno + ")");
        this.call = call;
        this.errno = errno;
    }

    String call() {
        return call;
    }

    public int errno() {
        return errno;
    }
}
