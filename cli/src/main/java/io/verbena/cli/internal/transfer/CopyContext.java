package io.verbena.cli.internal.transfer;

import java.nio.ByteBuffer;

/** What all files of one copy share. Thread safe. */
final class CopyContext {
    /** Of large files so much is moved, checked or found to be there as one. */
    static final long STRETCH = 64L << 20;

    final CopyOptions options;
    final Progress progress;
    final long stretch;
    final Obstacles obstacles;
    final BufferPool pool = new BufferPool();
    final Contents contents = new Contents(pool);
    private final Bandwidth bandwidth;

    CopyContext(CopyOptions options, Progress progress, TransferClock clock, long stretch, Obstacles obstacles) {
        this.obstacles = obstacles;
        this.stretch = stretch;
        this.options = options;
        this.progress = progress;
        this.bandwidth = new Bandwidth(options.limit(), clock);
    }

    /** For what is read only to be compared. */
    Flow reading(Location file) {
        return new LimitedFlow(file.isRemote(), false);
    }

    /** For what is moved: what is remote counts, and once where both ends are. */
    Flow moving(Location from) {
        return new LimitedFlow(from.isRemote(), true);
    }

    /** For what comes from this host. */
    Flow movingFromHere() {
        return new LimitedFlow(false, true);
    }

    private final class LimitedFlow implements Flow {
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
