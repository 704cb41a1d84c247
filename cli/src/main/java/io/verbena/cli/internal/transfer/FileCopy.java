package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Copies one regular file or symbolic link. It appears under its name only when it is whole: until then a regular file
 * is a {@link PartFile}. Done in steps, several of which may be taken at a time, so that a large file occupies all
 * workers: {@link #begin} tells the first ones, and each time all of them are done {@link #next} the next ones, until there
 * is none.
 */
final class FileCopy {
    /** A part of the work, which other threads may do parts of at the same time. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException, InterruptedException;
    }

    private enum State {
        MOVING,
        VERIFYING,
        DONE
    }

    private final CopyContext context;
    private final CopyPlan.Item item;
    private final Location from;
    private final PinnedFile source;
    private final Node node;
    private final Location to;
    private State state = State.MOVING;
    private PartFile part;
    private List<Stretch> stretches = List.of();

    FileCopy(CopyContext context, CopyPlan.Item item) {
        this.context = context;
        this.item = item;
        this.from = item.from();
        this.source = PinnedFile.copied(from);
        this.node = item.node();
        this.to = item.to();
    }

    List<Step> begin() throws IOException, InterruptedException {
        if (node.isSymbolicLink()) {
            copyLink();
            return done();
        }
        Optional<Node> existing = item.isFresh() ? Optional.empty() : to.find(false);
        return existing.isPresent() ? begin(existing.get()) : beginPart();
    }

    /**
     * @param there what has the name
     */
    private List<Step> begin(Node there) throws IOException, InterruptedException {
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

    /** What is no file, as a device or a pipe, takes what is written and keeps its name. */
    private List<Step> writeInto() throws IOException {
        if (context.options.has(Flag.VERIFY)) {
            throw new IOException(to + ": is no regular file, so that --verify cannot read it back");
        }
        state = State.DONE;
        return List.of(() -> {
            move(to, () -> to.write(false), Stretch.WHOLE, context.moving(from));
            checkUnchanged();
        });
    }

    /** Whether there is anything to do; changes nothing. */
    boolean isNeeded() throws IOException, InterruptedException {
        Optional<Node> existing = item.isFresh() ? Optional.empty() : to.find(false);
        if (existing.isEmpty()) {
            return true;
        }
        if (existing.get().isDirectory() || item.obstacle() != null) {
            context.obstacles.check(item, existing.get());
        }
        return node.isSymbolicLink() || !isUnchanged(existing.get());
    }

    private void copyLink() throws IOException, InterruptedException {
        String target = from.readLink();
        Optional<Node> existing = item.isFresh() ? Optional.empty() : to.find(false);
        if (existing.isEmpty()) {
            makeLink(to, target);
            return;
        }
        if (existing.get().isDirectory()) {
            context.obstacles.check(item, existing.get());
        }
        context.obstacles.replace(item, hidden -> makeLink(hidden, target));
    }

    private void makeLink(Location link, String target) throws IOException {
        link.createSymbolicLink(target);
        try {
            link.setLinkTime(node.modified());
        } catch (UnsupportedOperationException e) {
            context.progress.noteLinkTime();
        } catch (IOException e) {
            // the link is there: that a server keeps no time of it is told, and is no failure
            if (Fatal.isFatal(e, from, to) || !(e.getCause() instanceof FileSystemException)) {
                throw e;
            }
            context.progress.noteLinkTime();
        }
    }

    private List<Step> done() {
        state = State.DONE;
        context.progress.completeFile();
        return List.of();
    }

    /** Whether an earlier copy has done this one, or a synchronisation finds it done. */
    private boolean isUnchanged(Node there) throws IOException, InterruptedException {
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
                .sha256(from, Stretch.WHOLE, context.reading(from))
                .equals(context.contents.sha256(to, Stretch.WHOLE, context.reading(to)));
    }

    private List<Step> leave(Node there) throws IOException {
        if (there.mode() != node.mode() || !node.isSameBySizeAndTime(there)) {
            keepAttributes(to);
        }
        context.progress.leave(node.size());
        state = State.DONE;
        return List.of();
    }

    private List<Step> beginPart() throws IOException, InterruptedException {
        boolean isResumable = context.options.has(Flag.RESUME) && node.size() > 0;
        part = isResumable ? PartFile.resumable(from, node, to) : PartFile.passing(to);
        if (!isResumable && node.size() <= context.stretch) {
            stretches = List.of(Stretch.WHOLE);
            return List.of(() -> move(Stretch.WHOLE, true, context.moving(from)));
        }
        if (!part.isThere()) {
            move(Stretch.endOnly(0), true, Flow.NONE);
        }
        stretches = split(part.end());
        return stretches.stream()
                .<Step>map(stretch -> () -> moveOrKeep(stretch))
                .toList();
    }

    private List<Stretch> split(long holesFrom) {
        List<Stretch> parts = new ArrayList<>();
        for (long start = 0; start < node.size(); start += context.stretch) {
            parts.add(Stretch.part(start, Math.min(node.size(), start + context.stretch), holesFrom));
        }
        return parts;
    }

    private void moveOrKeep(Stretch stretch) throws IOException, InterruptedException {
        if (part.holds(stretch, source, context)) {
            context.progress.keep(stretch.end() - stretch.start());
            return;
        }
        if (!part.hasJournal()) {
            move(stretch, false, context.moving(from));
            return;
        }
        DigestingFlow flow = new DigestingFlow(context.moving(from));
        move(stretch, false, flow);
        part.note(stretch, flow.digest());
    }

    private void move(Stretch stretch, boolean isNew, Flow flow) throws IOException, InterruptedException {
        move(part.location(), part.opener(isNew), stretch, flow);
    }

    private void move(Location sink, ContentCopy.Opener<BlockSink> opener, Stretch stretch, Flow flow)
            throws IOException, InterruptedException {
        long end = new ContentCopy(context.pool, source, sink, opener, stretch, flow).run();
        context.progress.move(end - stretch.start());
    }

    /** All steps so far are done. */
    List<Step> next() throws IOException, InterruptedException {
        if (state == State.DONE) {
            return done();
        }
        if (state == State.MOVING) {
            if (!stretches.get(0).equals(Stretch.WHOLE)) {
                move(Stretch.endOnly(node.size()), false, Flow.NONE);
            }
            checkUnchanged();
        }
        if (state == State.MOVING && context.options.has(Flag.VERIFY)) {
            state = State.VERIFYING;
            return stretches.stream()
                    .<Step>map(stretch -> () -> verify(stretch))
                    .toList();
        }
        part.check(keepAttributes(part.location()));
        context.obstacles.clear(item);
        part.complete(to);
        part = null;
        if (from.hasExtendedAttributes()) {
            context.progress.noteExtendedAttributes();
        }
        return done();
    }

    /**
     * Fails where it may have been written to while it was read, or another file may have taken its name. What was read
     * of it is then of no version that it ever had.
     */
    private void checkUnchanged() throws IOException {
        Optional<Node> now = from.find(true);
        if (now.isEmpty()
                || now.get().size() != node.size()
                || !now.get().modified().equals(node.modified())) {
            throw new FileChangedException(from + ": changed while it was copied; copy it again");
        }
    }

    private void verify(Stretch stretch) throws IOException, InterruptedException {
        String expected = context.contents.sha256(source, stretch, context.reading(from));
        String found = part.sha256(stretch, context);
        if (!found.equals(expected)) {
            throw new ContentMismatchException(to + ": what was written is not what " + from + " holds: SHA-256 is "
                    + found + " and not " + expected);
        }
    }

    /** The time is that of what was read: a later change has to show. */
    private Optional<FileVersion> keepAttributes(Location file) throws IOException {
        return context.options.has(Flag.PRESERVE)
                ? file.setExtras(from.extras().withModified(node.modified()))
                : file.setAttributes(node.mode(), node.modified());
    }

    /** After a failure, when no step is under way any more. */
    void giveUp(Exception failure) {
        if (part != null && part.giveUp(failure)) {
            context.progress.leaveBehind(part.location());
        }
    }
}
