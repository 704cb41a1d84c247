package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes.FileKey;
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
            return pages(path, null, true).rest();
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
        AtomicReference<DirectoryPages> first = new AtomicReference<>(firstPage(path, null, attributes));
        return () -> {
            DirectoryPages pages = first.getAndSet(null);
            try {
                return pages != null ? pages : firstPage(path, null, attributes);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** As {@link #entries}, for one pass. */
    public DirectoryListing listing(String path) throws IOException {
        return firstPage(path, null, true);
    }

    /** As {@link #listing(String)}, of the directory that was seen there, and of no other one. */
    public DirectoryListing listing(String path, FileKey seen) throws IOException {
        return firstPage(path, seen, true);
    }

    /** @param seen the directory, or null for whichever is there */
    private DirectoryPages firstPage(String path, FileKey seen, boolean attributes) throws IOException {
        caller.lifetime().enter();
        try {
            return pages(path, seen, attributes);
        } finally {
            caller.lifetime().exit();
        }
    }

    private DirectoryPages pages(String path, FileKey seen, boolean attributes) throws IOException {
        if (attributes) {
            Blocking.await(caller.runtime(), namespace.writesAnswered()); // entries have sizes and times
        }
        PathOperation<FileHandle> found = PathOperations.of(seen, PathOperations.handle());
        FileHandle directory = Blocking.await(caller.runtime(), namespace.walk(path, PathWalk.Last.FOLLOWED, found));
        return DirectoryPages.open(caller, namespace, directory, namespace.shown(path), attributes);
    }
}
