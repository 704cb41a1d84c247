package io.verbena.verbs.natives.internal;

import java.io.IOException;

/** A call of libibverbs, librdmacm or the C library has failed. */
final class NativeException extends IOException {
    private static final long serialVersionUID = 1L;

    private final String call;
    private final int errno;

    /**
     * @param call the C function, as {@code rdma_resolve_addr}
     * @param errno the system's error number
     * @param meaning the system's text for it
     */
    NativeException(String call, int errno, String meaning) {
        super(call + " failed: " + meaning + " (errno " + errno + ")");
        this.call = call;
        this.errno = errno;
    }

    String call() {
        return call;
    }

    int errno() {
        return errno;
    }
}
