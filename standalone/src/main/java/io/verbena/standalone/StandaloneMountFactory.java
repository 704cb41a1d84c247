package io.verbena.standalone;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs41.client.internal.mount.MountUser;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import javax.security.auth.Subject;

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
        return mount(name, server, export, options, null);
    }

    @Override
    public ClosableMount mount(String name, String server, String export, MountOptions options, Subject user) {
        Stack stack = STACK.acquire();
        boolean made = false;
        try {
            ClosableMount mount = NfsMount.create(
                    name,
                    server,
                    export,
                    options.toString(),
                    stack.transport(),
                    new MountUser(stack.security(), user),
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
