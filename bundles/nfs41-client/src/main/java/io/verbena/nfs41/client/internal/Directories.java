package io.verbena.nfs41.client.internal;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs41.FileHandle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Reads directories. Blocks. */
final class Directories {
    private final Requester requester;
    private final Namespace namespace;

    Directories(Requester requester, Namespace namespace) {
        this.requester = requester;
        this.namespace = namespace;
    }

    /** As one operation. */
    List<DirectoryEntry> list(String path) throws IOException {
        requester.lifetime().enter();
        try {
            return pages(path).rest();
        } finally {
            requester.lifetime().exit();
        }
    }

    /** Each page is an operation. */
    Iterable<DirectoryEntry> entries(String path) throws IOException {
        AtomicReference<DirectoryPages> first = new AtomicReference<>(firstPage(path));
        return () -> {
            DirectoryPages pages = first.getAndSet(null);
            try {
                return pages != null ? pages : firstPage(path);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    /** As {@link #entries}, once. */
    DirectoryListing listing(String path) throws IOException {
        return firstPage(path);
    }

    private DirectoryPages firstPage(String path) throws IOException {
        requester.lifetime().enter();
        try {
            return pages(path);
        } finally {
            requester.lifetime().exit();
        }
    }

    private DirectoryPages pages(String path) throws IOException {
        Blocking.await(namespace.writesAnswered()); // entries have sizes and times
        FileHandle directory = Blocking.await(namespace.walk(path, PathWalk.Last.FOLLOWED, Tails.handle()));
        return DirectoryPages.open(requester, namespace, directory, namespace.shown(path));
    }
}
