package io.verbena.nfs.nio.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.NfsException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The root of a {@link FakeServer} as it is listed. Thread safe. */
final class FakeDirectory {
    @GuardedBy("this")
    private final Map<String, DirectoryEntry> entries = new LinkedHashMap<>();

    @GuardedBy("this")
    private Error error;

    /** Done once, before the next listing is answered. */
    volatile Runnable beforeListing = () -> {};

    static FileAttributes attributes(FileType type, long id, long size) {
        Instant time = Instant.EPOCH;
        return new FileAttributes(type, size, size, 0755, 1, "o", "g", time, time, time, 1, 1, id, 1);
    }

    /** The next listing throws this. */
    synchronized void failOnce(Error thrown) {
        error = thrown;
    }

    List<DirectoryEntry> entries() {
        Runnable before = beforeListing;
        beforeListing = () -> {};
        before.run();
        return present();
    }

    private synchronized List<DirectoryEntry> present() {
        Error thrown = error;
        error = null;
        if (thrown != null) {
            throw thrown;
        }
        return List.copyOf(entries.values());
    }

    /** The listing tells this name too. */
    synchronized void list(String name) {
        DirectoryEntry entry = new DirectoryEntry(name, attributes(FileType.REGULAR, name.hashCode(), 0));
        entries.put(name, entry);
    }

    /** The listing tells a name too that no file can have, shown so. */
    synchronized void listBad(String shown) {
        fail(shown, DirectoryEntry.BAD_NAME, "the server lists '" + shown + "' in it");
    }

    /** The listing tells this name too, but not the attributes. */
    synchronized void listWithoutAttributes(String name) {
        fail(name, "NFS4ERR_IO", "its attributes cannot be read");
    }

    @GuardedBy("this")
    private void fail(String name, String status, String reason) {
        NfsException failure = new NfsException("m:/", status, reason);
        entries.put(name, new DirectoryEntry(name, attributes(FileType.OTHER, 0, 0), Optional.of(failure)));
    }
}
