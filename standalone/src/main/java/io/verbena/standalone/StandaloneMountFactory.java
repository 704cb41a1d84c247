package io.verbena.standalone;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.client.internal.mount.NfsMount;

/**
 * Creates mounts on a plain class path, where {@link java.util.ServiceLoader} finds this class. All mounts share one
 * transport, which exists as long as there is a mount.
 */
public final class StandaloneMountFactory implements MountFactory {
    private static final SharedStack STACK = new SharedStack();

    /** Creates a factory for {@link java.util.ServiceLoader}. */
    public StandaloneMountFactory() {}

    @Override
    public ClosableMount mount(String name, String server, String export, MountOptions options) {
        Stack stack = STACK.acquire();
        boolean made = false;
        try {
            ClosableMount mount = NfsMount.create(
                    name,
                    server,
                    export,
                    options.toString(),
                    stack.transport(),
                    stack.memory(),
                    stack.runtime(),
                    STACK::release);
            made = true;
            return mount;
        } finally {
            if (!made) {
                STACK.release();
            }
        }
    }
}
