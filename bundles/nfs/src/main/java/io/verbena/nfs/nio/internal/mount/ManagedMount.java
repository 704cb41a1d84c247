package io.verbena.nfs.nio.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.ServerUnavailableException;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.time.Duration;
import javax.security.auth.Subject;

/**
 * A mount that belongs to the file system. It is made when it is used first, and again after its factory was replaced.
 */
public final class ManagedMount implements MountSource {
    private final NfsUri uri;
    private final FactorySource factories;
    private final Subject user;

    @GuardedBy("this")
    private ClosableMount mount;

    @GuardedBy("this")
    private boolean closed;

    /** @param user whose credentials are used; null for the user that the options name */
    public ManagedMount(NfsUri uri, FactorySource factories, Subject user) {
        this.user = user;
        this.uri = uri;
        this.factories = factories;
    }

    /** The source of mount factories. */
    interface FactorySource {
        /**
         * A factory that is there, or that comes in time.
         *
         * @param stopped a factory that is not to be returned, or null
         * @throws IOException if there is none
         */
        MountFactory await(MountFactory stopped, Duration timeout) throws IOException;

        /** Whether factories can come and go. */
        boolean isDynamic();
    }

    @Override
    public Mount get() throws IOException {
        Mount present = present();
        return present == null ? make(null) : present;
    }

    private synchronized Mount present() {
        if (closed) {
            throw new ClosedFileSystemException();
        }
        return mount;
    }

    @Override
    public Mount successor(Mount gone) throws IOException {
        return make(gone);
    }

    private Mount make(Mount gone) throws IOException {
        Duration swapTimeout = Duration.ofSeconds(uri.options().number(MountOption.SWAP_TIMEOUT));
        MountFactory factory = factories.await(null, swapTimeout);
        for (int stopped = 0; ; stopped++) {
            try {
                return make(factory, gone);
            } catch (ClosedFileSystemException e) {
                throw e;
            } catch (IllegalStateException e) {
                if (stopped == ReplaceableMount.MAX_REPLACEMENTS) {
                    throw e;
                }
                factory = factories.await(
                        factory, swapTimeout); // it was stopped, and the notice of that has not arrived yet
            }
        }
    }

    private Mount make(MountFactory factory, Mount gone) throws IOException {
        ClosableMount old;
        ClosableMount made;
        synchronized (this) {
            if (closed) {
                throw new ClosedFileSystemException();
            }
            if (mount != gone) {
                return mount;
            }
            old = mount;
            try {
                made = factory.mount(uri.source(), uri.server(), uri.export(), uri.options(), user);
            } catch (IllegalArgumentException e) {
                throw new ServerUnavailableException(e.getMessage(), e);
            }
            mount = made;
        }
        if (old != null) {
            old.close();
        }
        return made;
    }

    @Override
    public boolean isReplaceable() {
        return factories.isDynamic();
    }

    @Override
    public void close() {
        ClosableMount last;
        synchronized (this) {
            closed = true;
            last = mount;
            mount = null;
        }
        if (last != null) {
            last.close();
        }
    }
}
