package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.ContentMismatchException;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopyStep;
import io.verbena.nfs.transfer.CopyStep.Kind;
import io.verbena.nfs.transfer.OptionException;
import io.verbena.nfs.transfer.internal.block.BlockObserver;
import io.verbena.nfs.transfer.internal.block.ContentCopy;
import io.verbena.nfs.transfer.internal.block.FileRange;
import io.verbena.nfs.transfer.internal.block.FileUnits;
import io.verbena.nfs.transfer.internal.block.PinnedFile;
import io.verbena.nfs.transfer.internal.failure.FileChangedException;
import io.verbena.nfs.transfer.internal.plan.CopyPlan;
import io.verbena.nfs.transfer.internal.tree.BlockSink;
import io.verbena.nfs.transfer.internal.tree.BlockSource;
import io.verbena.nfs.transfer.internal.tree.FatalFailures;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.internal.tree.FileVersion;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Copies one regular file or symbolic link, which appears under its final name only when it is complete. Until then, a
 * regular file is a {@link PartFile}. The work consists of steps, and several threads may run steps of one file at a
 * time. {@link #begin} returns the first steps. When all returned steps are done, {@link #next} returns the next steps,
 * or an empty list at the end.
 */
public final class FileCopy {
    /** A part of the work. Several threads may run different steps of a file at the same time. */
    @FunctionalInterface
    public interface Step {
        void run() throws IOException, InterruptedException;
    }

    private enum State {
        MOVING,
        VERIFYING,
        DONE
    }

    /** The largest size in octets of a file that is read or created by a single request. */
    private static final int MAX_SMALL = 1 << 16;

    private static final int PRIVATE = 0_600;

    private final CopyContext context;
    private final CopyPlan.Item item;
    private final TreePath from;
    private final PinnedFile source;
    private final FileEntry node;
    private final TreePath to;
    private final FileUnits units;
    private State state = State.MOVING;
    private PartFile part;
    private List<FileRange> stretches = List.of();
    private boolean isReplaced;
    private boolean isCopied;

    /** Whether the temporary file is created with the attributes of the source. */
    private boolean hasAttributes;

    public FileCopy(CopyContext context, CopyPlan.Item item) {
        this.context = context;
        this.item = item;
        this.from = item.from();
        this.source = PinnedFile.copied(from);
        this.node = item.node();
        this.to = item.to();
        this.units = FileUnits.of(node.size(), context.stretch);
    }

    /** Returns whether a file of a plan takes few requests, so that many such files can be copied at a time. */
    public static boolean isSmall(FileEntry node) {
        return node.isSymbolicLink() || (node.isRegularFile() && node.size() <= MAX_SMALL);
    }

    public List<Step> begin() throws IOException, InterruptedException {
        if (node.isSymbolicLink()) {
            copyLink();
            return done();
        }
        Optional<FileEntry> existing = item.isFresh() ? Optional.empty() : to.find(false);
        isReplaced = existing.isPresent();
        return existing.isPresent() ? begin(existing.get()) : beginPart();
    }

    /**
     * Returns the first steps if the target name exists.
     *
     * @param there the object with the target name
     */
    private List<Step> begin(FileEntry there) throws IOException, InterruptedException {
        if (there.isDirectory()) {
            context.obstacles.check(item, there);
        } else if (!there.isRegularFile() && !there.isSymbolicLink()) {
            if (item.obstacle() == null) {
                return writeInto();
            }
            context.obstacles.check(item, there);
        } else if (isUnchanged(there)) {
            return leave(there);
        } else if (!context.options.has(Flag.FORCE) && there.isRegularFile()) {
            to.checkMayWrite();
        }
        return beginPart();
    }

    /** Writes to an object that is not a file, such as a device or a pipe. The object keeps its name. */
    private List<Step> writeInto() throws IOException {
        if (context.options.has(Flag.VERIFY)) {
            throw new OptionException(
                    to.toString(), "is no regular file, so that it cannot be read back", Flag.VERIFY, null);
        }
        state = State.DONE;
        return List.of(() -> {
            move(to, () -> to.write(false), FileRange.WHOLE, context.moving(from));
            checkUnchanged();
        });
    }

    /** Returns the step that a copy would take; empty if there is nothing to copy. Changes nothing. */
    public Optional<CopyStep> rehearse() throws IOException, InterruptedException {
        Optional<FileEntry> existing = item.isFresh() ? Optional.empty() : to.find(false);
        if (existing.isEmpty()) {
            return Optional.of(step(false));
        }
        if (existing.get().isDirectory() || item.obstacle() != null) {
            context.obstacles.check(item, existing.get());
        }
        return node.isSymbolicLink() || !isUnchanged(existing.get()) ? Optional.of(step(true)) : Optional.empty();
    }

    private void copyLink() throws IOException, InterruptedException {
        String target = from.readLink();
        Optional<FileEntry> existing = item.isFresh() ? Optional.empty() : to.find(false);
        if (existing.isEmpty()) {
            makeLink(to, target);
            return;
        }
        if (existing.get().isDirectory()) {
            context.obstacles.check(item, existing.get());
        }
        isReplaced = true;
        context.obstacles.replace(item, hidden -> makeLink(hidden, target));
        context.abandoned.wrote(to);
    }

    private void makeLink(TreePath link, String target) throws IOException {
        link.createSymbolicLink(target);
        try {
            link.setLinkTime(node.modified());
        } catch (UnsupportedOperationException e) {
            context.progress.noteLinkTime();
        } catch (IOException e) {
            // The link exists. If the server does not keep its time, the copy reports this, and does not fail.
            if (FatalFailures.isFatal(e, from, to) || !(e.getCause() instanceof FileSystemException)) {
                throw e;
            }
            context.progress.noteLinkTime();
        }
    }

    private List<Step> done() {
        state = State.DONE;
        isCopied = true;
        context.progress.completeFile();
        return List.of();
    }

    /** Returns the step that was taken, after the end of the work; empty if the file was equal already. */
    public Optional<CopyStep> step() {
        return isCopied ? Optional.of(step(isReplaced)) : Optional.empty();
    }

    private CopyStep step(boolean isReplacement) {
        Kind kind = isReplacement ? Kind.REPLACE : Kind.COPY;
        return new CopyStep(kind, from.toString(), to.toString());
    }

    /**
     * Returns whether the target already equals the source, because of an earlier copy or as a result of a
     * synchronisation's comparison.
     */
    private boolean isUnchanged(FileEntry there) throws IOException, InterruptedException {
        CopyOptions options = context.options;
        if (!there.isRegularFile() || there.size() != node.size()) {
            return false;
        }
        if (options.has(Flag.SYNC) && options.has(Flag.CHECKSUM)) {
            return isSameContent();
        }
        return (options.has(Flag.RESUME) || options.has(Flag.SYNC))
                && node.isSameBySizeAndTime(there)
                && (!options.has(Flag.VERIFY) || isSameContent());
    }

    private boolean isSameContent() throws IOException, InterruptedException {
        return context.contents
                .sha256(from, FileRange.WHOLE, context.reading(from))
                .equals(context.contents.sha256(to, FileRange.WHOLE, context.reading(to)));
    }

    private List<Step> leave(FileEntry there) throws IOException {
        if (there.mode() != node.mode() || !node.isSameBySizeAndTime(there)) {
            keepAttributes(to);
        }
        context.progress.leave(node.size());
        state = State.DONE;
        return List.of();
    }

    private List<Step> beginPart() throws IOException, InterruptedException {
        boolean isResumable = context.options.has(Flag.RESUME) && node.size() > 0;
        boolean isWhole = !isResumable && node.size() <= context.stretch;
        part = isResumable
                ? PartFile.resumable(source, node, to, context)
                : isKeptIfInterrupted()
                        ? PartFile.keptIfInterrupted(source, node, to, context)
                        : PartFile.passing(to, context);
        if (isWhole) {
            stretches = List.of(FileRange.WHOLE);
            boolean isOneRequest = isSmall(node) && to.isRemote();
            // the content is read back before it gets a mode that may forbid that
            hasAttributes = isOneRequest && !context.options.has(Flag.PRESERVE) && !context.options.has(Flag.VERIFY);
            ContentCopy.Opener<BlockSink> opener = isOneRequest
                    ? part.wholeOpener(hasAttributes ? node.mode() : PRIVATE, node.modified())
                    : part.opener(true);
            BlockObserver observer = part.noting(context.moving(from), units, 0);
            return List.of(() -> move(part.location(), opener, FileRange.WHOLE, observer));
        }
        if (part.isThere()) {
            commitWhatIsThere();
        } else {
            move(FileRange.endOnly(0), true, BlockObserver.NONE);
        }
        stretches = split(part.end());
        return stretches.stream()
                .<Step>map(stretch -> () -> moveOrKeep(stretch))
                .toList();
    }

    private boolean isKeptIfInterrupted() {
        return context.options.has(Flag.KEEP_PARTIAL) && node.size() > units.size();
    }

    /**
     * Brings what an earlier copy has written to stable storage of its server, before any of it is compared and kept.
     * The earlier client may have been killed before its COMMIT. The client of this copy commits a file that it has
     * written to, and COMMIT is for the whole file (RFC 8881 section 18.3). So the first octet is written again.
     */
    private void commitWhatIsThere() throws IOException, InterruptedException {
        if (to.isRemote() && part.end() > 0) {
            new ContentCopy(
                            context.runtime,
                            from,
                            source::read,
                            part.location(),
                            part.opener(false),
                            FileRange.part(0, 1, part.end()),
                            BlockObserver.NONE)
                    .run(); // its end closes the file, which commits
        }
    }

    private List<FileRange> split(long holesFrom) {
        List<FileRange> parts = new ArrayList<>();
        for (long start = 0; start < node.size(); start += context.stretch) {
            parts.add(FileRange.part(start, Math.min(node.size(), start + context.stretch), holesFrom));
        }
        return parts;
    }

    private void moveOrKeep(FileRange stretch) throws IOException, InterruptedException {
        long start = part.heldUntil(stretch, units, source, context);
        context.progress.keep(start - stretch.start());
        if (start < stretch.end()) {
            FileRange rest = FileRange.part(start, stretch.end(), stretch.holesFrom());
            move(rest, false, part.noting(context.moving(from), units, start));
        }
    }

    private void move(FileRange stretch, boolean isNew, BlockObserver flow) throws IOException, InterruptedException {
        move(part.location(), part.opener(isNew), stretch, flow);
    }

    private void move(TreePath sink, ContentCopy.Opener<BlockSink> opener, FileRange stretch, BlockObserver flow)
            throws IOException, InterruptedException {
        boolean isWhole = stretch.equals(FileRange.WHOLE) && isSmall(node);
        ContentCopy.Opener<BlockSource> fromFile = isWhole ? () -> source.readWhole((int) node.size()) : source::read;
        long end = new ContentCopy(context.runtime, from, fromFile, sink, opener, stretch, flow).run();
        context.progress.move(end - stretch.start());
    }

    /** Returns the next steps. Called after all earlier steps are done. */
    public List<Step> next() throws IOException, InterruptedException {
        if (state == State.DONE) {
            return done();
        }
        if (state == State.MOVING) {
            if (!stretches.get(0).equals(FileRange.WHOLE)) {
                move(FileRange.endOnly(node.size()), false, BlockObserver.NONE);
            }
            checkUnchanged();
        }
        if (state == State.MOVING && context.options.has(Flag.VERIFY)) {
            state = State.VERIFYING;
            return stretches.stream()
                    .<Step>map(stretch -> () -> verify(stretch))
                    .toList();
        }
        if (!hasAttributes) {
            part.settle();
            part.check(keepAttributes(part.location()));
        }
        context.obstacles.clear(item);
        context.obstacles.keep(item);
        part.complete(to);
        part = null;
        if (!item.isFresh()) {
            context.abandoned.wrote(to);
        }
        if (from.hasExtendedAttributes()) {
            context.progress.noteExtendedAttributes();
        }
        return done();
    }

    /**
     * Throws if the source may have been written to while it was read, or if another file may have taken its name. The
     * octets that were read then belong to no single version of the file.
     */
    private void checkUnchanged() throws IOException {
        Optional<FileVersion> whole = source.whole();
        boolean isUnchanged = whole.isPresent()
                ? whole.get().size() == node.size() && whole.get().modified().equals(node.modified())
                : from.find(true)
                        .filter(now ->
                                now.size() == node.size() && now.modified().equals(node.modified()))
                        .isPresent();
        if (!isUnchanged) {
            throw new FileChangedException(from + ": changed while it was copied; copy it again");
        }
    }

    private void verify(FileRange stretch) throws IOException, InterruptedException {
        String expected = context.contents.sha256(source, stretch, context.reading(from));
        String found = part.sha256(stretch, context);
        if (!found.equals(expected)) {
            throw new ContentMismatchException(to + ": what was written is not what " + from + " holds: SHA-256 is "
                    + found + " and not " + expected);
        }
    }

    /**
     * Sets the attributes of the copy. The time of modification is the one of the content that was read, so that a
     * later change of the source is detected.
     */
    private Optional<FileVersion> keepAttributes(TreePath file) throws IOException {
        return context.options.has(Flag.PRESERVE)
                ? file.setExtras(FileType.REGULAR, from.extras().withModified(node.modified()))
                : file.setAttributes(FileType.REGULAR, node.mode(), node.modified());
    }

    /** Abandons the copy after a failure. Called when no step is running any more. */
    public void giveUp(Exception failure) {
        if (part != null && part.giveUp(failure)) {
            context.progress.leaveBehind(part.location());
        }
    }
}
