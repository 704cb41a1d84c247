package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.ContentMismatchException;
import io.verbena.nfs.transfer.internal.block.BlockObserver;
import io.verbena.nfs.transfer.internal.block.ContentCopy;
import io.verbena.nfs.transfer.internal.block.FileRange;
import io.verbena.nfs.transfer.internal.block.FileUnits;
import io.verbena.nfs.transfer.internal.block.PinnedFile;
import io.verbena.nfs.transfer.internal.block.RangeDigest;
import io.verbena.nfs.transfer.internal.failure.FailureKind;
import io.verbena.nfs.transfer.internal.failure.FileChangedException;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.nfs.transfer.internal.tree.HiddenNames;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The temporary file that holds a copy until the copy is complete. The file is in the same directory as the final name.
 * The name of a resumable temporary file depends on the path, size and time of the source, so that a later copy of this
 * user finds the file if these are equal ({@link PartNames}). {@link #heldUntil} compares contents before any unit of
 * the file is kept.
 */
public final class PartFile {
    private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);
    private static final int PRIVATE = 0_600;

    /**
     * The names under which a later copy finds the file and its journal.
     *
     * @param part the name of the file
     * @param sums the name of the journal
     * @param units the units of the file that the later copy keeps or moves
     */
    private record Later(TreePath part, TreePath sums, FileUnits units) {
        static Later of(TreePath from, FileEntry node, TreePath to, CopyContext context) {
            String identity = String.join("\n", from.identity(), "" + node.size(), "" + node.modified(), to.name());
            String name = context.partNames.name(identity);
            return new Later(
                    to.hiddenSibling(name + ".part"),
                    to.hiddenSibling(name + ".sums"),
                    FileUnits.of(node.size(), context.stretch));
        }
    }

    /** What an earlier copy leaves to a later one. */
    private enum Keeping {
        /** The file is removed after a failure. */
        NEVER,
        /** The file is kept after an interrupt, and removed after any other failure. */
        INTERRUPTED,
        /** The file is kept after an interrupt and after each failure that another attempt can survive. */
        ALWAYS
    }

    /** The largest number of units that are compared at a time. */
    private static final int MAX_COMPARED = 32;

    private final PinnedFile file;
    private final TreePath target;
    private final Keeping keeping;
    private final Supplier<Later> later;
    private final Optional<Journal> journal;
    private final LivePart live;
    private long present = -1;

    private PartFile(
            TreePath location,
            TreePath target,
            Keeping keeping,
            Supplier<Later> later,
            Optional<Journal> journal,
            LiveParts live) {
        this.live = new LivePart(live, location, PRIVATE);
        this.file = PinnedFile.written(location);
        this.target = target;
        this.keeping = keeping;
        this.later = later;
        this.journal = journal;
    }

    /**
     * Returns a temporary file that is removed if the copy fails. Temporary files that earlier copies could not remove
     * are removed first.
     */
    public static PartFile passing(TreePath to, CopyContext context) {
        to.removeLeftovers();
        return new PartFile(
                to.hiddenSibling(HiddenNames.passing(context.runtime.random())),
                to,
                Keeping.NEVER,
                () -> {
                    throw new IllegalStateException("nothing is kept");
                },
                Optional.empty(),
                context.live);
    }

    /**
     * Returns a temporary file that remains only if the copy is interrupted. It then gets the name of a {@linkplain
     * #resumable resumable} one. An existing file is not taken up.
     */
    public static PartFile keptIfInterrupted(PinnedFile source, FileEntry node, TreePath to, CopyContext context) {
        TreePath from = source.location();
        to.removeLeftovers();
        return new PartFile(
                to.hiddenSibling(HiddenNames.passing(context.runtime.random())),
                to,
                Keeping.INTERRUPTED,
                () -> Later.of(from, node, to, context),
                hasJournal(from, to) ? Optional.of(Journal.inMemory(() -> changed(source))) : Optional.empty(),
                context.live);
    }

    /**
     * Returns a temporary file that remains if the copy fails or is interrupted. The file exists already if an earlier
     * copy was interrupted.
     */
    public static PartFile resumable(PinnedFile source, FileEntry node, TreePath to, CopyContext context)
            throws IOException {
        TreePath from = source.location();
        Later later = Later.of(from, node, to, context);
        Optional<Journal> journal =
                hasJournal(from, to) ? Optional.of(Journal.in(later.sums(), () -> changed(source))) : Optional.empty();
        PartFile part = new PartFile(later.part(), to, Keeping.ALWAYS, () -> later, journal, context.live);
        part.look(from, node);
        return part;
    }

    private static boolean hasJournal(TreePath from, TreePath to) {
        return from.isRemote() && !to.isRemote();
    }

    /** A time that no process sets: a source that is written anew can have the size and the times of before. */
    private static Optional<Instant> changed(PinnedFile source) {
        return source.first().map(FileVersion::changed);
    }

    private void look(TreePath from, FileEntry node) throws IOException {
        TreePath location = location();
        Optional<FileEntry> there = location.adopt();
        if (there.isPresent()) {
            present = there.get().size();
            location.setAttributes(FileType.REGULAR, PRIVATE, node.modified());
        }
        if (journal.isPresent()) {
            journal.get().load(from::changed);
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
            if (keeping != Keeping.ALWAYS) { // those that later copies continue are removed by no other copy
                live.begin();
            }
            BlockSink opened = file.write(isToBeMade.get());
            isToBeMade.set(false);
            return opened;
        };
    }

    /** Shows other copies no longer that the file is in use, before it gets its final attributes. */
    public void settle() throws InterruptedException {
        live.settle();
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
     * Returns an observer that also notes in the journal what is moved, if there is a journal.
     *
     * @param start the position of the first octet that is moved, which is the start of a unit
     */
    public BlockObserver noting(BlockObserver flow, FileUnits units, long start) {
        RangeDigest.Kind kind = keeping == Keeping.ALWAYS ? RangeDigest.Kind.SHA_256 : RangeDigest.Kind.CRC_32C;
        return journal.<BlockObserver>map(noted -> new NotingFlow(flow, noted, units, start, kind.start()))
                .orElse(flow);
    }

    /**
     * Returns the position up to which a range equals the same range of the source, from its start. The units of the
     * range are compared in their order, up to the first that differs: with the journal if there is one, and otherwise
     * with the source, which is read again.
     */
    public long heldUntil(FileRange stretch, FileUnits units, PinnedFile from, CopyContext context)
            throws IOException, InterruptedException {
        long position = stretch.start();
        for (int most = 1; position < stretch.end(); most = Math.min(2 * most, MAX_COMPARED)) {
            List<String> expected = expected(position, stretch.end(), most, units, from, context);
            int equal = equal(position, expected, units, context);
            for (int i = 0; i < equal; i++) {
                position = units.end(position);
            }
            if (equal == 0 || equal < expected.size()) {
                return position;
            }
        }
        return position;
    }

    /** Returns the digests of the next units that can be there, at most the given number. */
    private List<String> expected(
            long start, long limit, int most, FileUnits units, PinnedFile from, CopyContext context)
            throws IOException, InterruptedException {
        List<String> digests = new ArrayList<>();
        long end = start;
        for (int i = 0; i < most && end < limit && units.end(end) <= present; i++) {
            if (journal.isPresent()) {
                Optional<String> noted = journal.get().digest(end, units.end(end));
                boolean isOfOneKind = digests.isEmpty()
                        || (noted.isPresent()
                                && RangeDigest.Kind.of(noted.get()) == RangeDigest.Kind.of(digests.get(0)));
                if (noted.isEmpty() || !isOfOneKind) {
                    break;
                }
                digests.add(noted.get());
            }
            end = units.end(end);
        }
        if (journal.isEmpty() && end > start) {
            digests.addAll(digests(from, start, end, units, RangeDigest.Kind.SHA_256, context));
        }
        return digests;
    }

    /** Returns how many of the next units have the expected digests, up to the first that has another. */
    private int equal(long start, List<String> expected, FileUnits units, CopyContext context)
            throws IOException, InterruptedException {
        if (expected.isEmpty()) {
            return 0;
        }
        long end = start;
        for (int i = 0; i < expected.size(); i++) {
            end = units.end(end);
        }
        List<String> found = digests(file, start, end, units, RangeDigest.Kind.of(expected.get(0)), context);
        int equal = 0;
        while (equal < found.size() && found.get(equal).equals(expected.get(equal))) {
            equal++;
        }
        return equal;
    }

    private static List<String> digests(
            PinnedFile of, long start, long end, FileUnits units, RangeDigest.Kind kind, CopyContext context)
            throws IOException, InterruptedException {
        List<String> digests = new ArrayList<>();
        FileUnits.Digester digester =
                units.new Digester(start, kind.start(), (from, to, digest) -> digests.add(digest));
        context.contents.pump(
                of,
                block -> {
                    digester.update(block);
                    block.position(block.limit());
                },
                FileRange.part(start, end, 0),
                context.reading(of.location()));
        return digests;
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
        try {
            boolean isLeft = !isKept(failure) && !remove();
            if (isLeft) {
                if (file.first().isPresent() || file.isUndecided()) {
                    location().leaveBehind(file.first(), target);
                }
            }
            return isLeft;
        } finally {
            live.end();
        }
    }

    /** Leaves the file to a later copy, if that can continue it. Returns whether the file is left. */
    private boolean isKept(Throwable failure) {
        if (keeping == Keeping.ALWAYS && !isUselessAfter(failure)) {
            location().release();
            journal.ifPresent(Journal::release);
            return true;
        }
        if (keeping != Keeping.INTERRUPTED
                || FailureKind.of(failure) != FailureKind.INTERRUPTED
                || !location().isReachable()) {
            return false;
        }
        boolean interrupted = Thread.interrupted();
        try {
            return keep();
        } catch (IOException e) {
            LOG.debug("the temporary file {} is not kept", location().place(), e);
            interrupted |= FailureKind.of(e) == FailureKind.INTERRUPTED;
            return false;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Gives the file the name under which a later copy finds it, if any unit of it can be complete. */
    private boolean keep() throws IOException {
        Optional<FileEntry> there = location().find(false);
        Later kept = later.get();
        boolean isUseful = there.filter(entry -> entry.isRegularFile()
                                && entry.size() >= kept.units().size())
                        .isPresent()
                && (journal.isEmpty() || !journal.get().isEmpty());
        if (!isUseful || file.isGone()) {
            return false;
        }
        if (journal.isPresent()) {
            journal.get().save(kept.sums());
        }
        location().renameTo(kept.part(), file.first());
        return true;
    }

    /**
     * Removes the file.
     *
     * @return whether the file is removed
     */
    private boolean remove() {
        if (!location().isReachable()) {
            LOG.warn(
                    "the temporary file {} is left: its server cannot be reached",
                    location().place());
            return false;
        }
        Optional<IOException> failure = CleanUp.run(this::removeNow);
        // The original failure is the one to report.
        failure.ifPresent(e ->
                LOG.debug("could not remove the temporary file {}", location().place(), e));
        if (failure.isEmpty() || file.isUndecided()) {
            return failure.isEmpty();
        }
        // If no server has created the file, nothing remains, whatever the answer was.
        boolean wasMade = !location().isRemote() || file.first().isPresent();
        return FailureKind.of(failure.get()) == FailureKind.NOT_FOUND || !wasMade;
    }

    /** Returns whether no later copy can continue the file. */
    private static boolean isUselessAfter(Throwable failure) {
        return failure instanceof ContentMismatchException || failure instanceof FileChangedException;
    }

    /** Removes the file and the journal. */
    private void removeNow() throws IOException {
        if (!file.isGone()) { // another file with this name does not belong to this copy
            location().remove();
        }
        if (journal.isPresent()) {
            journal.get().remove();
        }
    }
}
