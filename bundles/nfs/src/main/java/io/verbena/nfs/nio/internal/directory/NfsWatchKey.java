package io.verbena.nfs.nio.internal.directory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.nio.internal.mount.CallLock;
import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.Watchable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A directory that is watched. Thread safe. */
public final class NfsWatchKey implements WatchKey {
    private static final int MAX_EVENTS = 512;

    private final NfsWatchService service;
    private final NfsPath directory;
    private final FileKey which;
    private volatile Set<WatchEvent.Kind<?>> kinds;
    private volatile boolean valid = true;
    /** Held by the thread that lists the directory. {@code @GuardedBy} knows no such lock. */
    private final CallLock looking;

    /** Guarded by {@link #looking}. */
    private Map<String, Stamp> known;

    @GuardedBy("this")
    private List<WatchEvent<?>> events = new ArrayList<>();

    @GuardedBy("this")
    private boolean isSignalled;

    NfsWatchKey(NfsWatchService service, NfsPath directory, FileKey which, Set<WatchEvent.Kind<?>> kinds) {
        this.service = service;
        this.directory = directory;
        this.which = which;
        this.kinds = kinds;
        this.looking = new CallLock(directory.system().runtime());
    }

    /** The attributes by which a changed or replaced entry is recognized. */
    private record Stamp(long fileId, long change, boolean isFile, long size, Instant modified) {
        /** The stamp of an entry whose attributes could never be read. */
        static final Stamp UNKNOWN = new Stamp(0, 0, false, 0, Instant.EPOCH);

        boolean isOther(Stamp now) {
            return !equals(UNKNOWN) && !now.equals(UNKNOWN) && fileId != now.fileId;
        }

        static Stamp of(FileAttributes attributes) {
            return new Stamp(
                    attributes.fileId(),
                    attributes.change(),
                    attributes.isRegularFile(),
                    attributes.size(),
                    attributes.modified());
        }

        /** The identity of the content, independent of the name. */
        Content content() {
            return new Content(fileId, size, modified);
        }
    }

    private record Content(long fileId, long size, Instant modified) {}

    private record Event<T>(WatchEvent.Kind<T> kind, int count, T context) implements WatchEvent<T> {
        Event<T> again() {
            return new Event<>(kind, count + 1, context);
        }
    }

    FileKey which() {
        return which;
    }

    /** Changes the kinds of events that are reported. Changes up to now are reported by the former kinds. */
    void kinds(Set<WatchEvent.Kind<?>> wanted) throws IOException {
        looking.lock();
        try {
            if (!kinds.equals(wanted)) {
                lookNow();
                kinds = wanted;
            }
        } finally {
            looking.unlock();
        }
    }

    /**
     * Lists the directory and reports differences from the last pass. The first pass reports nothing, and a pass whose
     * listing fails is left out.
     *
     * @throws InterruptedIOException if the thread is interrupted while another one lists the directory
     */
    public void look() throws IOException {
        looking.lock();
        try {
            lookNow();
        } finally {
            looking.unlock();
        }
    }

    /** Called with {@link #looking} held. */
    private void lookNow() {
        if (!valid) {
            return;
        }
        Map<String, Stamp> now;
        try {
            now = list(known);
        } catch (NoSuchFileException | NotDirectoryException e) {
            end();
            return;
        } catch (IOException e) {
            return; // the server may be away: a later pass sees the changes
        }
        if (known != null) {
            compare(known, now);
        }
        known = now;
    }

    private Map<String, Stamp> list(Map<String, Stamp> before) throws IOException {
        try {
            return directory.system().mount().call(directory, mount -> {
                Map<String, Stamp> entries = new HashMap<>();
                for (DirectoryEntry entry : mount.entries(directory.mountPath())) {
                    if (entry.isNameUsable()) {
                        entries.put(entry.name(), stamp(entry, before));
                    }
                }
                return entries;
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** The stamp of an entry; its last one if its attributes cannot be read now. */
    private static Stamp stamp(DirectoryEntry entry, Map<String, Stamp> before) {
        if (entry.failure().isEmpty()) {
            return Stamp.of(entry.attributes());
        }
        return before == null ? Stamp.UNKNOWN : before.getOrDefault(entry.name(), Stamp.UNKNOWN);
    }

    private void compare(Map<String, Stamp> before, Map<String, Stamp> now) {
        before.forEach((name, stamp) -> {
            Stamp other = now.get(name);
            if (other == null || stamp.isOther(other)) {
                tell(StandardWatchEventKinds.ENTRY_DELETE, name);
            }
        });
        Set<Content> contents = new HashSet<>();
        before.values().forEach(stamp -> contents.add(stamp.content()));
        now.forEach((name, stamp) -> {
            Stamp other = before.get(name);
            if (other == null || other.isOther(stamp)) {
                tell(StandardWatchEventKinds.ENTRY_CREATE, name);
                if (isWritten(stamp) && !contents.contains(stamp.content())) {
                    tell(StandardWatchEventKinds.ENTRY_MODIFY, name);
                }
            } else if (!other.equals(stamp)) {
                tell(StandardWatchEventKinds.ENTRY_MODIFY, name);
            }
        });
    }

    /** Whether a new file counts as modified, too. An empty file does only if creations are not reported. */
    private boolean isWritten(Stamp stamp) {
        return stamp.isFile() && (stamp.size() > 0 || !kinds.contains(StandardWatchEventKinds.ENTRY_CREATE));
    }

    private void tell(WatchEvent.Kind<Path> kind, String name) {
        if (kinds.contains(kind)) {
            NfsPath.entry(directory.system(), name).ifPresent(path -> add(kind, path));
        }
    }

    private synchronized <T> void add(WatchEvent.Kind<T> kind, T context) {
        int last = events.size() - 1;
        if (isOverflow(last)) {
            events.set(last, ((Event<?>) events.get(last)).again());
            return;
        }
        for (int i = 0; i <= last; i++) {
            Event<?> event = (Event<?>) events.get(i);
            if (kind == StandardWatchEventKinds.ENTRY_MODIFY
                    && event.kind() == kind
                    && event.context().equals(context)) {
                events.set(i, event.again());
                return;
            }
        }
        if (events.size() == MAX_EVENTS) {
            events = new ArrayList<>();
            events.add(overflowed());
        } else {
            events.add(new Event<>(kind, 1, context));
        }
        signal();
    }

    @GuardedBy("this")
    private boolean isOverflow(int index) {
        return index >= 0 && events.get(index).kind() == StandardWatchEventKinds.OVERFLOW;
    }

    private static WatchEvent<?> overflowed() {
        return new Event<>(StandardWatchEventKinds.OVERFLOW, 1, null);
    }

    /** Tells that there may be changes that were not seen. */
    synchronized void overflow() {
        int last = events.size() - 1;
        if (isOverflow(last)) {
            events.set(last, ((Event<?>) events.get(last)).again());
        } else {
            events.add(overflowed());
        }
        signal();
    }

    private synchronized void signal() {
        if (!isSignalled) {
            isSignalled = true;
            service.signal(this);
        }
    }

    /** Ends the key: the directory is gone. */
    private void end() {
        cancel();
        signal();
    }

    @Override
    public boolean isValid() {
        return valid;
    }

    @Override
    public synchronized List<WatchEvent<?>> pollEvents() {
        List<WatchEvent<?>> polled = events;
        events = new ArrayList<>();
        return polled;
    }

    @Override
    public synchronized boolean reset() {
        if (isSignalled && valid) {
            isSignalled = false;
            if (!events.isEmpty()) {
                signal();
            }
        }
        return valid;
    }

    @Override
    public void cancel() {
        valid = false;
        service.cancelled(this);
    }

    @Override
    public Watchable watchable() {
        return directory;
    }
}
