package io.verbena.nfs.nio.internal.file;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Writes again what replaced mounts may have lost of one file. All of it is guarded by the lock of
 * {@link UncommittedWrites}.
 */
final class LostWrites {
    private final ReplaceableMount mount;
    /** The writes that are kept, in their order. */
    private final Deque<UncommittedWrite> writes;

    private final Predicate<Mount> isLockedOn;

    /** Writes up to this number must not be written again: an exclusive lock that was held then, or since, is gone. */
    private long unrepeatable;

    LostWrites(ReplaceableMount mount, Deque<UncommittedWrite> writes, Predicate<Mount> isLockedOn) {
        this.mount = mount;
        this.writes = writes;
        this.isLockedOn = isLockedOn;
    }

    /** Writes up to this number are not written again. If a mount loses them, their channels are told. */
    void giveUpUntil(long number) {
        unrepeatable = Math.max(unrepeatable, number);
    }

    /** As {@link UncommittedWrites#follow}. */
    OpenResult follow(OpenFile writer) throws IOException {
        for (int replacements = 0; ; replacements++) {
            try {
                writer.reopenIfReplaced();
            } catch (InterruptedIOException e) {
                throw e; // the next caller tries again
            } catch (Throwable e) {
                writes.removeIf(write -> write.owner() == writer);
                throw e;
            }
            OpenResult present = writer.present();
            if (!isAnyHandedToOther(present.mount())) {
                return present;
            }
            if (replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                throw new MountReplacedException(present.mount().name(), false);
            }
            writeAgain();
        }
    }

    private boolean isAnyHandedToOther(Mount present) {
        for (UncommittedWrite write : writes) {
            if (write.mount() != present) {
                return true;
            }
        }
        return false;
    }

    /** As {@link UncommittedWrites#rewriteLost}. */
    void writeAgain() throws IOException {
        for (int replacements = 0; isAnyHandedToOther(mount.present()); replacements++) {
            try {
                writeAgainOnce();
            } catch (IOException e) {
                if (Failures.replacement(e).isEmpty() || replacements == ReplaceableMount.MAX_REPLACEMENTS) {
                    throw e;
                }
            }
        }
    }

    private void writeAgainOnce() throws IOException {
        Set<OpenFile> owners = new LinkedHashSet<>();
        writes.forEach(write -> owners.add(write.owner()));
        for (OpenFile owner : owners) {
            reopen(owner);
        }
        for (UncommittedWrite write : writes) {
            if (!write.isHandedToPresent()) {
                if (isLockedOn.test(write.mount())) {
                    giveUpUntil(write.number());
                }
                write.awaitEnd();
            }
        }
        writes.removeIf(UncommittedWrite::isSafe);
        loseUnrepeatable();
        List<UncommittedWrite> again =
                writes.stream().filter(write -> write.number() > unrepeatable).toList();
        again.stream().filter(UncommittedWrite::isPlaced).forEach(UncommittedWrite::sendAgain);
        again.stream()
                .filter(write -> !write.isSent())
                .forEach(UncommittedWrite::sendAgain); // appends come after writes of known offsets
        for (UncommittedWrite write : again) {
            awaitAgain(write);
        }
    }

    /** Gives up what a former mount may have lost, and another holder of a lock may have overwritten. */
    private void loseUnrepeatable() {
        for (Iterator<UncommittedWrite> all = writes.iterator(); all.hasNext(); ) {
            UncommittedWrite write = all.next();
            if (write.number() <= unrepeatable && !write.isHandedToPresent()) {
                OpenFile owner = write.owner();
                owner.deferFailure(new IOException("the mount was replaced, and what was written to " + owner.path()
                        + " before a lock was lost or released may be lost"));
                all.remove();
            }
        }
    }

    private void reopen(OpenFile owner) throws InterruptedIOException {
        try {
            owner.reopenIfReplaced();
        } catch (InterruptedIOException e) {
            throw e; // the next caller tries again
        } catch (Throwable e) {
            writes.removeIf(write -> write.owner() == owner);
            owner.deferFailure(e);
        }
    }

    private void awaitAgain(UncommittedWrite write) throws IOException {
        try {
            write.await();
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            if (Failures.replacement(e).isPresent()) {
                write.owner().reopenAlone(write.via(), e);
                throw e;
            }
            writes.remove(write);
            write.owner().deferFailure(e);
        }
    }
}
