package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.util.Blocking;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Lists directories (READDIR). Blocks. */
public final class DirectoryRequests {
    private final CompoundCaller caller;
    private final Namespace namespace;

    public DirectoryRequests(CompoundCaller caller, Namespace namespace) {
        this.caller = caller;
        this.namespace = namespace;
    }

    /** Reads the whole directory as one operation. */
    public List<DirectoryEntry> list(String path) throws IOException {
        caller.lifetime().enter();
        try {
            return pages(path, true).rest();
        } finally {
            caller.lifetime().exit();
        }
    }

    /** Reads the directory page by page; each page is one operation. */
    public Iterable<DirectoryEntry> entries(String path) throws IOException {
        return entries(path, true);
    }

    /** As {@link #entries}, with no attributes of the entries. */
    public Iterable<DirectoryEntry> names(String path) throws IOException {
        return entries(path, false);
    }

    private Iterable<DirectoryEntry> entries(String path, boolean attributes) throws IOException {
        AtomicReference<DirectoryPages> first = new AtomicReference<>(firstPage(path, attributes));
        return () -> {
            DirectoryPages pages = first.getAndSet(null);
            try {
                return pages != null ? pages : firstPage(path, attributes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** As {@link #entries}, for one pass. */
    public DirectoryListing listing(String path) throws IOException {
        return firstPage(path, true);
    }

    private DirectoryPages firstPage(String path, boolean attributes) throws IOException {
        caller.lifetime().enter();
        try {
            return pages(path, attributes);
        } finally {
            caller.lifetime().exit();
        }
    }

    private DirectoryPages pages(String path, boolean attributes) throws IOException {
        if (attributes) {
            Blocking.await(caller.runtime(), namespace.writesAnswered()); // entries have sizes and times
        }
        FileHandle directory =
                Blocking.await(caller.runtime(), namespace.walk(path, PathWalk.Last.FOLLOWED, PathOperations.handle()));
        return DirectoryPages.open(caller, namespace, directory, namespace.shown(path), attributes);
    }
}
