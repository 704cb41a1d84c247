package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.internal.block.Bandwidth;
import io.verbena.nfs.transfer.internal.block.BlockObserver;
import io.verbena.nfs.transfer.internal.block.Contents;
import io.verbena.nfs.transfer.internal.plan.AbandonedParts;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import io.verbena.runtime.Runtime;
import java.nio.ByteBuffer;

/** The state that all files of one copy share. Thread safe. */
public final class CopyContext {
    /** The size in octets of the ranges of a large file that are each moved, verified or kept as a whole. */
    public static final long STRETCH = 64L << 20;

    public final CopyOptions options;
    public final CopyCounters progress;
    public final Runtime runtime;
    public final long stretch;
    public final TypeConflicts obstacles;
    public final AbandonedParts abandoned;
    public final Contents contents;
    public final PartNames partNames;
    final LiveParts live;
    private final Bandwidth bandwidth;

    public CopyContext(
            CopyOptions options,
            CopyCounters progress,
            Runtime runtime,
            PartNames partNames,
            long stretch,
            TypeConflicts obstacles) {
        this.obstacles = obstacles;
        this.abandoned = new AbandonedParts(runtime);
        this.live = new LiveParts(runtime);
        this.runtime = runtime;
        this.contents = new Contents(runtime);
        this.partNames = partNames;
        this.stretch = stretch;
        this.options = options;
        this.progress = progress;
        this.bandwidth = new Bandwidth(options::limit, runtime);
    }

    /** Returns the observer for content that is read only for a comparison. */
    public BlockObserver reading(TreePath file) {
        return new LimitedFlow(file.isRemote(), false);
    }

    /**
     * Returns the observer for content that is moved. Each block counts once against the limit of the rate: when it is
     * read if the source is on a mount, otherwise when it is written.
     */
    public BlockObserver moving(TreePath from) {
        return new LimitedFlow(from.isRemote(), true);
    }

    /** Returns the observer for content that comes from this host. */
    public BlockObserver movingFromHere() {
        return new LimitedFlow(false, true);
    }

    private final class LimitedFlow implements BlockObserver {
        private final boolean isFromRemote;
        private final boolean isMoving;

        LimitedFlow(boolean isFromRemote, boolean isMoving) {
            this.isFromRemote = isFromRemote;
            this.isMoving = isMoving;
        }

        @Override
        public void beforeRead(int octets) throws InterruptedException {
            if (isFromRemote) {
                bandwidth.acquire(octets);
            }
        }

        @Override
        public void beforeWrite(int octets) throws InterruptedException {
            if (isMoving && !isFromRemote) {
                bandwidth.acquire(octets);
            }
        }

        @Override
        public void moved(ByteBuffer block) {
            if (isMoving) {
                progress.pass(block.remaining());
            }
        }
    }
}
