package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.FileType;
import io.verbena.nfs.transfer.internal.tree.TreePath;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A temporary file that {@link LiveParts} touches while its copy is running. Thread safe. */
final class LivePart {
    private static final Logger LOG = LoggerFactory.getLogger(LivePart.class);

    private final LiveParts all;
    private final TreePath location;
    private final int mode;
    /** Held while the file is touched. */
    private final ReentrantLock touching = new ReentrantLock();

    private volatile boolean isLive;

    /** @param mode the mode of the file until its copy is complete */
    LivePart(LiveParts all, TreePath location, int mode) {
        this.all = all;
        this.location = location;
        this.mode = mode;
    }

    /** The file is there, or about to be. */
    void begin() {
        if (!isLive) {
            isLive = true;
            all.add(this);
        }
    }

    /** Changes the file, which shows other copies that it is in use. */
    void touch(Instant now) {
        touching.lock();
        try {
            if (isLive) {
                location.setAttributes(FileType.REGULAR, mode, now);
            }
        } catch (IOException e) {
            LOG.debug("the temporary file {} is not touched", location.place(), e);
        } finally {
            touching.unlock();
        }
    }

    /** The file is not touched any more. A touch may be under way. */
    void end() {
        isLive = false;
        all.remove(this);
    }

    /** As {@link #end}, and waits for a touch that is under way. */
    void settle() throws InterruptedException {
        end();
        touching.lockInterruptibly();
        touching.unlock();
    }
}
