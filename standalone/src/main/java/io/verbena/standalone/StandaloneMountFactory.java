package io.verbena.standalone;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.client.internal.NfsMount;

/**
 * Makes mounts on a plain class path, where {@link java.util.ServiceLoader} finds it. They share one transport, which is
 * there as long as one of them is.
 */
public final class StandaloneMountFactory implements MountFactory {
    private static final SharedStack STACK = new SharedStack();

    /** As {@link java.util.ServiceLoader} makes it. */
    public StandaloneMountFactory() {}

    @Override
    public ClosableMount mount(String name, String server, String export, MountOptions options) {
        Stack stack = STACK.acquire();
        boolean made = false;
        try {
            ClosableMount mount =
                    NfsMount.create(name, server, export, options.toString(), stack.transport(), STACK::release);
            made = true;
            return mount;
        } finally {
            if (!made) {
                STACK.release();
            }
        }
    }
}
