package io.verbena.nfs.nio.internal;

import io.verbena.nfs.DirectoryEntry;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;

/**
 * Goes through a directory page by page. Where the mount is replaced on the way it begins anew and leaves out what it has
 * given already.
 */
final class NfsDirectoryStream implements DirectoryStream<Path>, Closeable {
    private final NfsPath directory;
    private final Filter<? super Path> filter;
    private final boolean replaceable;
    private final Set<String> given = new HashSet<>();
    private Iterator<DirectoryEntry> entries;
    private boolean iterated;
    private volatile boolean closed;

    NfsDirectoryStream(NfsPath directory, Filter<? super Path> filter) throws IOException {
        this.directory = directory;
        this.filter = filter;
        this.replaceable = directory.system().remote().isReplaceable();
        this.entries = list();
        directory.system().opened(this);
    }

    private Iterator<DirectoryEntry> list() throws IOException {
        return directory.system().remote().call(directory, mount -> mount.entries(directory.remote())
                .iterator());
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
        for (int replacements = 0; !closed; ) {
            try {
                if (!entries.hasNext()) {
                    return null;
                }
                DirectoryEntry entry = entries.next();
                NfsPath path = directory.resolve(NfsPath.entry(directory.system(), entry.name())
                        .orElseThrow(() ->
                                new IOException("the server lists a name in " + directory + " that no file can have")));
                boolean isNew = !replaceable || given.add(entry.name());
                if (isNew && filter.accept(path)) {
                    return path.withListed(directory.system().listed(entry.attributes()));
                }
            } catch (UncheckedIOException e) {
                boolean goesOn = replaceable && Failures.replacement(e).isPresent();
                if (!goesOn || ++replacements > Remote.MAX_REPLACEMENTS) {
                    throw Failures.about(directory, e.getCause());
                }
                entries = list();
            }
        }
        return null;
    }

    private final class Entries implements Iterator<Path> {
        private NfsPath ahead;
        private boolean ended;

        @Override
        public boolean hasNext() {
            if (ahead == null && !ended) {
                try {
                    ahead = NfsDirectoryStream.this.next();
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

    @Override
    public void close() {
        closed = true;
        directory.system().closed(this);
    }
}
