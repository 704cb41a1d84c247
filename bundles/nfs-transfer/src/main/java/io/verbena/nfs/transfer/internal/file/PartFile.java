package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.ContentMismatchException;
import io.verbena.nfs.transfer.internal.block.ContentCopy;
import io.verbena.nfs.transfer.internal.block.FileRange;
import io.verbena.nfs.transfer.internal.block.PinnedFile;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.FailureKind;
import io.verbena.nfs.transfer.internal.tree.FileChangedException;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The temporary file that holds a copy until the copy is complete. The file is in the same directory as the final name.
 * The name of a resumable temporary file depends on the path, size and time of the source, so that a later copy of this
 * user finds the file if these are equal ({@link PartNames}). {@link #holds} compares contents before any range of the
 * file is kept.
 */
public final class PartFile {
    /**
     * The largest number of attempts to remove the file. The user may interrupt a copy several times, and the file must
     * still be removed.
     */
    private static final int MAX_ATTEMPTS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);
    private static final int PRIVATE = 0_600;

    private final PinnedFile file;
    private final TreePath target;
    private final boolean isResumable;
    private final Optional<Journal> journal;
    private long present = -1;

    private PartFile(TreePath location, TreePath target, boolean isResumable, Optional<Journal> journal) {
        this.file = PinnedFile.written(location);
        this.target = target;
        this.isResumable = isResumable;
        this.journal = journal;
    }

    /**
     * Returns a temporary file that is removed if the copy fails. Temporary files that earlier copies could not remove
     * are removed first.
     */
    public static PartFile passing(TreePath to, RandomGenerator random) {
        to.removeLeftovers();
        return new PartFile(to.hiddenSibling(HiddenNames.passing(random)), to, false, Optional.empty());
    }

    /**
     * Returns a temporary file that remains if the copy fails or is interrupted. The file exists already if an earlier
     * copy was interrupted.
     */
    public static PartFile resumable(TreePath from, FileEntry node, TreePath to, PartNames names) throws IOException {
        String identity = String.join("\n", from.identity(), "" + node.size(), "" + node.modified(), to.name());
        String name = names.name(identity);
        boolean hasJournal = from.isRemote() && !to.isRemote();
        Optional<Journal> journal =
                hasJournal ? Optional.of(new Journal(to.hiddenSibling(name + ".sums"))) : Optional.empty();
        PartFile part = new PartFile(to.hiddenSibling(name + ".part"), to, true, journal);
        part.look(node);
        return part;
    }

    private void look(FileEntry node) throws IOException {
        TreePath location = location();
        Optional<FileEntry> there = location.adopt();
        if (there.isPresent()) {
            present = there.get().size();
            location.setAttributes(FileType.REGULAR, PRIVATE, node.modified());
        }
        if (journal.isPresent()) {
            journal.get().load();
        }
    }

    public TreePath location() {
        return file.location();
    }

    /**
     * Returns an opener for writing, which may be called several times.
     *
     * @param isNew whether the first call creates the file; the file must not exist then, and must exist otherwise
     */
    public ContentCopy.Opener<BlockSink> opener(boolean isNew) {
        AtomicBoolean isToBeMade = new AtomicBoolean(isNew);
        return () -> {
            BlockSink opened = file.write(isToBeMade.get());
            isToBeMade.set(false);
            return opened;
        };
    }

    /** Returns an opener for a small file that is created with its content and attributes when it is closed. */
    public ContentCopy.Opener<BlockSink> wholeOpener(int mode, Instant modified) {
        return () -> file.writeWhole(mode, modified);
    }

    /** Throws if the path now leads to another file. Called after an operation on the file by its path. */
    public void check(Optional<FileVersion> version) throws IOException {
        file.check(version);
    }

    /** Returns the SHA-256 of a range of the file, in hexadecimal. */
    public String sha256(FileRange stretch, CopyContext context) throws IOException, InterruptedException {
        return context.contents.sha256(file, stretch, context.reading(location()));
    }

    public boolean isThere() {
        return present >= 0;
    }

    /** Returns the position from which the file is empty, so that zeros need not be written. */
    public long end() {
        return Math.max(0, present);
    }

    /**
     * Returns whether there is a journal. If so, the digests of ranges are computed while they are read from the
     * source.
     */
    public boolean hasJournal() {
        return journal.isPresent();
    }

    /**
     * Returns whether a range equals the same range of the source. The range is compared with the journal if there is
     * one, and otherwise with the source, which is read again.
     */
    public boolean holds(FileRange stretch, PinnedFile from, CopyContext context)
            throws IOException, InterruptedException {
        if (stretch.end() > present) {
            return false;
        }
        String expected;
        if (journal.isPresent()) {
            Optional<String> noted = journal.get().digest(stretch);
            if (noted.isEmpty()) {
                return false;
            }
            expected = noted.get();
        } else {
            expected = context.contents.sha256(from, stretch, context.reading(from.location()));
        }
        return expected.equals(sha256(stretch, context));
    }

    public void note(FileRange stretch, String digest) throws IOException {
        if (journal.isPresent()) {
            journal.get().add(stretch, digest);
        }
    }

    /** Renames the file to its final name. */
    public void complete(TreePath to) throws IOException {
        location().renameTo(to, file.first());
        if (journal.isPresent()) {
            journal.get().remove();
        }
    }

    /**
     * Removes the file after a failure, unless a later copy can continue it.
     *
     * @return whether a file that should be removed may still exist
     */
    public boolean giveUp(Throwable failure) {
        boolean isLeft = !remove(failure);
        if (isLeft) {
            file.first().ifPresent(which -> location().leaveBehind(which, target));
        }
        return isLeft;
    }

    /**
     * Removes the file if no later copy can continue it.
     *
     * @return whether the file is in its intended state: removed, or kept for a later copy
     */
    private boolean remove(Throwable failure) {
        if (isResumable && !isUselessAfter(failure)) {
            location().release();
            journal.ifPresent(Journal::release);
            return true;
        }
        if (!location().isReachable()) {
            LOG.warn(
                    "the temporary file {} is left: its server cannot be reached",
                    location().place());
            return false;
        }
        boolean interrupted = false;
        FailureKind outcome = FailureKind.INTERRUPTED;
        for (int attempt = 0; outcome == FailureKind.INTERRUPTED && attempt < MAX_ATTEMPTS; attempt++) {
            interrupted |= Thread.interrupted();
            outcome = removeNow();
        }
        if (interrupted || outcome == FailureKind.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        // If no server has created the file, nothing remains, whatever the answer was.
        boolean wasMade = !location().isRemote() || file.first().isPresent();
        return outcome == null || outcome == FailureKind.NOT_FOUND || !wasMade;
    }

    /** Returns whether no later copy can continue the file. */
    private static boolean isUselessAfter(Throwable failure) {
        return failure instanceof ContentMismatchException || failure instanceof FileChangedException;
    }

    /**
     * Removes the file and the journal.
     *
     * @return null if the file is removed, otherwise the outcome of the failure
     */
    private FailureKind removeNow() {
        try {
            if (!file.isGone()) { // another file with this name does not belong to this copy
                location().remove();
            }
            if (journal.isPresent()) {
                journal.get().remove();
            }
            return null;
        } catch (IOException e) {
            // The file was not created yet, or its server is gone. The original failure is the one to report.
            LOG.debug("could not remove the temporary file {}", location().place(), e);
            return FailureKind.of(e);
        }
    }
}
