package io.verbena.nfs.nio.internal.directory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.Interrupts;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import io.verbena.nfs.nio.internal.path.ListedAttributes;
import io.verbena.nfs.nio.internal.path.NfsPath;
import io.verbena.text.OctetText;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Reads a directory page by page. If the mount is replaced meanwhile, it starts again and leaves out entries that it
 * has returned already. An entry whose name no path can have is reported by an exception after the last entry.
 */
public final class NfsDirectoryStream implements DirectoryStream<Path>, Closeable {
    private final FileKey seen;
    private final NfsPath directory;
    private final Filter<? super Path> filter;
    private final boolean replaceable;
    private final Set<String> given = new HashSet<>();
    private DirectoryListing entries;
    /** The path that was returned last: the only one that holds listed attributes. */
    private volatile NfsPath last;

    private long unusable;
    private NfsException firstUnusable;

    @GuardedBy("this")
    private boolean iterated;

    private volatile boolean closed;

    public NfsDirectoryStream(NfsPath directory, Filter<? super Path> filter) throws IOException {
        this(directory, null, filter);
    }

    /** @param seen the directory as it was seen; null for whichever the path leads to */
    public NfsDirectoryStream(NfsPath directory, FileKey seen, Filter<? super Path> filter) throws IOException {
        this.directory = directory;
        this.seen = seen;
        this.filter = Objects.requireNonNull(filter);
        this.replaceable = directory.system().mount().isReplaceable();
        this.entries = list();
        directory.system().opened(this);
    }

    private DirectoryListing list() throws IOException {
        String at = directory.mountPath();
        return directory
                .system()
                .mount()
                .call(directory, mount -> seen == null ? mount.listing(at) : mount.listing(at, seen));
    }

    @Override
    public Iterator<Path> iterator() {
        synchronized (this) {
            if (closed) {
                throw new IllegalStateException("the directory stream is closed");
            }
            if (iterated) {
                throw new IllegalStateException("a directory stream has one iterator only");
            }
            iterated = true;
        }
        return new Entries();
    }

    private NfsPath next() throws IOException {
        forgetListed();
        for (int replacements = 0; !closed; ) {
            try {
                if (!entries.hasNext()) {
                    tellUnusable();
                    return null;
                }
                DirectoryEntry entry = entries.next();
                Optional<NfsPath> name = NfsPath.entry(directory.system(), entry.name());
                if (!entry.isNameUsable() || name.isEmpty()) {
                    unusable++;
                    firstUnusable = firstUnusable == null ? unusable(entry) : firstUnusable;
                    continue;
                }
                NfsPath path = directory.resolve(name.get());
                boolean isNew = !replaceable || given.add(entry.name());
                if (isNew && filter.accept(path)) {
                    if (entry.failure().isEmpty()) { // else reading its attributes throws the failure
                        last = path.withListed(new ListedAttributes(entry.attributes(), entries.freshness()));
                    }
                    return path;
                }
            } catch (UncheckedIOException e) {
                boolean goesOn = replaceable && Failures.replacement(e).isPresent();
                if (!goesOn || ++replacements > ReplaceableMount.MAX_REPLACEMENTS) {
                    throw Failures.about(directory, e.getCause());
                }
                entries = list();
            }
        }
        return null;
    }

    private void forgetListed() {
        NfsPath given = last;
        if (given != null) {
            ListedAttributes unused = given.takeListed();
            last = null;
        }
    }

    private NfsException unusable(DirectoryEntry entry) {
        return entry.failure()
                .orElseGet(() -> new NfsException(
                        OctetText.escape(directory.toString()),
                        "NFS4ERR_BADNAME",
                        "the server lists '" + OctetText.escape(entry.name()) + "', which no file can be named"));
    }

    /** Throws for names that no path can have, after all other entries were returned. */
    private void tellUnusable() throws IOException {
        if (unusable > 0) {
            NfsException first = firstUnusable;
            String more = unusable == 1 ? "" : ", and " + (unusable - 1) + " more";
            unusable = 0;
            throw new NfsException(first.getFile(), first.status(), first.getReason() + more);
        }
    }

    private final class Entries implements Iterator<Path> {
        private NfsPath ahead;
        private boolean ended;

        @Override
        public boolean hasNext() {
            if (ahead == null && !ended) {
                try {
                    ahead = Interrupts.deferred(NfsDirectoryStream.this::next);
                } catch (IOException e) {
                    throw new DirectoryIteratorException(e);
                }
                ended = ahead == null;
            }
            return ahead != null;
        }

        @Override
        public Path next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            Path path = ahead;
            ahead = null;
            return path;
        }
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public void close() {
        closed = true;
        forgetListed();
        directory.system().closed(this);
    }
}
