package io.verbena.cli.internal.transfer;

import io.verbena.cli.ExitStatus;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file beside its final name that a file is copied to until it is whole. One that can be taken up again has a name
 * made of the source's path, size and time, so that it is found again as long as these are the same. What it holds is
 * not trusted for that: {@link #holds} compares contents.
 */
final class PartFile {
    /** Who stops a copy may say so more than once, and its file is to be removed all the same. */
    private static final int MAX_ATTEMPTS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(PartFile.class);
    private static final int PRIVATE = 0_600;

    private final PinnedFile file;
    private final Location target;
    private final boolean isResumable;
    private final Optional<Journal> journal;
    private long present = -1;

    private PartFile(Location location, Location target, boolean isResumable, Optional<Journal> journal) {
        this.file = PinnedFile.written(location);
        this.target = target;
        this.isResumable = isResumable;
        this.journal = journal;
    }

    /** One that goes away when the copy fails, as do those that earlier copies could not remove. */
    static PartFile passing(Location to) {
        to.removeLeftovers();
        String name = String.format("%016x", ThreadLocalRandom.current().nextLong());
        return new PartFile(to.hiddenSibling(".verbena-" + name + ".part"), to, false, Optional.empty());
    }

    /** One that stays when the copy fails or is interrupted, and is there if an earlier one was. */
    static PartFile resumable(Location from, Node node, Location to) throws IOException {
        String identity = String.join("\n", from.identity(), "" + node.size(), "" + node.modified(), to.name());
        byte[] digest = Contents.newDigest().digest(OctetText.encode(identity));
        String name = ".verbena-" + HexFormat.of().formatHex(digest, 0, 8);
        Optional<Journal> journal =
                from.isRemote() ? to.hiddenSibling(name + ".sums").localPath().map(Journal::new) : Optional.empty();
        PartFile part = new PartFile(to.hiddenSibling(name + ".part"), to, true, journal);
        part.look(node);
        return part;
    }

    private void look(Node node) throws IOException {
        Location location = location();
        Optional<Node> there = location.find(false);
        if (there.isEmpty()) {
            return;
        }
        if (!there.get().isRegularFile()) {
            throw new IOException(location + ": what is in the place of its temporary file is no file");
        }
        present = there.get().size();
        location.setAttributes(PRIVATE, node.modified());
        if (journal.isPresent()) {
            journal.get().load();
        }
    }

    Location location() {
        return file.location();
    }

    /**
     * Opens it for writing, as often as it takes.
     *
     * @param isNew whether it is made the first time; it must not be there then, and must be there otherwise
     */
    ContentCopy.Opener<BlockSink> opener(boolean isNew) {
        AtomicBoolean isToBeMade = new AtomicBoolean(isNew);
        return () -> {
            BlockSink opened = file.write(isToBeMade.get());
            isToBeMade.set(false);
            return opened;
        };
    }

    /** For what is done to it by its name: fails where that is another file's now. */
    void check(Optional<FileVersion> version) throws IOException {
        file.check(version);
    }

    /** SHA-256 of a part of what it holds. */
    String sha256(Stretch stretch, CopyContext context) throws IOException, InterruptedException {
        return context.contents.sha256(file, stretch, context.reading(location()));
    }

    boolean isThere() {
        return present >= 0;
    }

    /** From here on the file holds nothing, so that zeros need not be written. */
    long end() {
        return Math.max(0, present);
    }

    /** Whether it is worth to find out what has been read from the source. */
    boolean hasJournal() {
        return journal.isPresent();
    }

    /** Whether a stretch is the same as the source's: by what was read from there before, else by reading it again. */
    boolean holds(Stretch stretch, PinnedFile from, CopyContext context) throws IOException, InterruptedException {
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

    void note(Stretch stretch, String digest) throws IOException {
        if (journal.isPresent()) {
            journal.get().add(stretch, digest);
        }
    }

    /** Gives it its final name. */
    void complete(Location to) throws IOException {
        location().renameTo(to, file.first());
        if (journal.isPresent()) {
            journal.get().remove();
        }
    }

    /**
     * After a failure: removes it, unless it can be taken up again.
     *
     * @return whether one that should not be there may be
     */
    boolean giveUp(Exception failure) {
        boolean isLeft = !remove(failure);
        if (isLeft) {
            file.first().ifPresent(which -> location().leaveBehind(which, target));
        }
        return isLeft;
    }

    /** Whether it is where it should be: away, or kept to be taken up again. */
    private boolean remove(Exception failure) {
        if (isResumable && !isUselessAfter(failure)) {
            return true;
        }
        if (!location().isReachable()) {
            LOG.warn(
                    "the temporary file {} is left: its server cannot be reached",
                    location().place());
            return false;
        }
        boolean interrupted = false;
        ExitStatus status = ExitStatus.INTERRUPTED;
        for (int attempt = 0; status == ExitStatus.INTERRUPTED && attempt < MAX_ATTEMPTS; attempt++) {
            interrupted |= Thread.interrupted();
            status = removeNow();
        }
        if (interrupted || status == ExitStatus.INTERRUPTED) {
            Thread.currentThread().interrupt();
        }
        // of what no server has made nothing is left, whatever the answer
        boolean wasMade = !location().isRemote() || file.first().isPresent();
        return status == ExitStatus.OK || status == ExitStatus.NOT_FOUND || !wasMade;
    }

    /** Whether no later copy can take it up. */
    private static boolean isUselessAfter(Exception failure) {
        return failure instanceof ContentMismatchException || failure instanceof FileChangedException;
    }

    private ExitStatus removeNow() {
        try {
            if (!file.isGone()) { // what has its name now is not ours
                location().remove();
            }
            if (journal.isPresent()) {
                journal.get().remove();
            }
            return ExitStatus.OK;
        } catch (IOException e) {
            // it was not made yet, or what serves it has gone; the failure that led here is the one to tell
            LOG.debug("could not remove the temporary file {}", location().place(), e);
            return ExitStatus.of(e);
        }
    }
}
