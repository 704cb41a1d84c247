package io.verbena.cli.internal.transfer;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiPredicate;

/**
 * A file that is opened more than once, and has to be the same one each time: a path alone may lead to another file since
 * somebody has renamed one, or since a mount was replaced. Files of this host are taken as they are, as they stay open. Thread
 * safe.
 */
final class PinnedFile {
    private final Location location;
    private final String failure;
    private final BiPredicate<FileVersion, FileVersion> test;
    private final AtomicReference<FileVersion> first = new AtomicReference<>();

    private PinnedFile(Location location, String failure, BiPredicate<FileVersion, FileVersion> test) {
        this.location = location;
        this.failure = failure;
        this.test = test;
    }

    /** One whose content shall not change between two openings. */
    static PinnedFile copied(Location location) {
        return new PinnedFile(
                location, "was changed or replaced while it was copied; copy it again", FileVersion::isSameContent);
    }

    /** As {@link #copied}, where nobody speaks of a copy. */
    static PinnedFile read(Location location) {
        return new PinnedFile(location, "was changed or replaced while it was read", FileVersion::isSameContent);
    }

    /** One that is written to from here. */
    static PinnedFile written(Location location) {
        return new PinnedFile(
                location,
                "its temporary file was replaced while it was copied; copy it again",
                FileVersion::isSameFile);
    }

    Location location() {
        return location;
    }

    /** Which file it was first, where it was opened yet and is not of this host. */
    Optional<FileVersion> first() {
        return Optional.ofNullable(first.get());
    }

    /** Opens it for reading. */
    BlockSource read() throws IOException {
        BlockSource source = location.read();
        return checked(source, source.version());
    }

    /** Opens it for writing: a new file, or one that is there. */
    BlockSink write(boolean isNew) throws IOException {
        BlockSink sink = location.write(isNew);
        return checked(sink, sink.version());
    }

    private <T extends Closeable> T checked(T file, Optional<FileVersion> version) throws IOException {
        try {
            check(version);
            return file;
        } catch (IOException e) {
            try {
                file.close();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            throw e;
        }
    }

    /** Fails where it is another file than at first. */
    void check(Optional<FileVersion> version) throws IOException {
        if (version.isPresent() && !isAsBefore(version.get())) {
            String message = location + ": " + failure;
            throw version.get().hasSizeAndTimeOf(first.get())
                    ? new IOException(message)
                    : new FileChangedException(message);
        }
    }

    private boolean isAsBefore(FileVersion version) {
        FileVersion known = first.compareAndExchange(null, version);
        return known == null || test.test(known, version);
    }

    /** Whether what is at its path now is surely another file, or nothing. */
    boolean isGone() throws IOException {
        FileVersion known = first.get();
        return known != null && location.version().filter(known::isSameFile).isEmpty();
    }
}
