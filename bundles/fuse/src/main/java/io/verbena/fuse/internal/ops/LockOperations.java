package io.verbena.fuse.internal.ops;

import io.verbena.fuse.internal.file.LockEntry;
import io.verbena.fuse.internal.file.LockHolder;
import io.verbena.fuse.internal.file.NodeFile;
import io.verbena.fuse.internal.file.OpenFile;
import io.verbena.fuse.internal.kernel.Errno;
import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.kernel.Reply;
import io.verbena.fuse.internal.kernel.Request;
import java.io.IOException;

/** The operations on byte-range locks: GETLK, SETLK and SETLKW. Thread safe. */
final class LockOperations {
    private static final int LOCK_OUT = 24;

    private final FileSystemContext context;

    LockOperations(FileSystemContext context) {
        this.context = context;
    }

    private record Asked(OpenFile file, NodeFile shared, LockEntry lock) {}

    private Asked read(Request request) {
        long handle = request.u64();
        OpenFile file = context.files().file(handle);
        long owner = request.u64();
        long start = request.u64();
        long end = request.u64();
        int type = request.u32();
        int pid = request.u32();
        boolean isFlock = (request.u32() & Protocol.LK_FLOCK) != 0;
        NodeFile shared = context.files().shared(file.node());
        LockHolder holder = new LockHolder(handle, owner, isFlock);
        return new Asked(file, shared, new LockEntry(holder, start, end, type, pid, request.arrival()));
    }

    Reply test(Request request) throws IOException, InterruptedException {
        Asked asked = read(request);
        LockEntry other = asked.shared().locks().test(asked.file(), asked.lock());
        LockEntry told = other == null ? asked.lock() : other;
        int type = other == null ? Protocol.F_UNLCK : other.type();
        return new Reply(LOCK_OUT).u64(told.start()).u64(told.end()).u32(type).u32(told.pid());
    }

    Reply set(Request request, boolean waits) throws IOException, InterruptedException {
        Asked asked = read(request);
        if (asked.lock().type() == Protocol.F_UNLCK) {
            asked.shared().awaitWrites(context.runtime()); // whoever gets the lock next sees them
        }
        if (waits) {
            asked.shared().locks().await(asked.file(), asked.lock());
        } else if (!asked.shared().locks().set(asked.file(), asked.lock())) {
            throw new Errno.Failure(Errno.EAGAIN);
        }
        if (asked.lock().type() != Protocol.F_UNLCK) {
            // others may have changed the file before the lock was granted
            context.device().invalidate(asked.file().node().id());
        }
        return Reply.empty();
    }
}
