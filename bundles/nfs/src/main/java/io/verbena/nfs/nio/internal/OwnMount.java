package io.verbena.nfs.nio.internal;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.ServerUnavailableException;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.time.Duration;

/** A mount of the file system's own, made when it is needed first, and again where the factory that made it went. */
final class OwnMount implements MountSource {
    private final NfsUri uri;
    private final Factories factories;
    private ClosableMount mount;
    private boolean closed;

    OwnMount(NfsUri uri, Factories factories) {
        this.uri = uri;
        this.factories = factories;
    }

    /** Where factories come from. */
    interface Factories {
        /**
         * One that is there, or comes in time.
         *
         * @param stopped one that will not do, or null
         * @throws IOException where none does
         */
        MountFactory await(MountFactory stopped, Duration timeout) throws IOException;

        /** Whether they can come and go. */
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
        Duration patience = Duration.ofSeconds(uri.options().number(MountOption.SWAP_TIMEOUT));
        MountFactory factory = factories.await(null, patience);
        for (int stopped = 0; ; stopped++) {
            try {
                return make(factory, gone);
            } catch (ClosedFileSystemException e) {
                throw e;
            } catch (IllegalStateException e) {
                if (stopped == Remote.MAX_REPLACEMENTS) {
                    throw e;
                }
                factory = factories.await(factory, patience); // it was stopped before that was told here
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
                made = factory.mount(uri.source(), uri.server(), uri.export(), uri.options());
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
