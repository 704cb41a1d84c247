package io.verbena.nfs41.server.internal.ops;

import io.verbena.nfs41.server.internal.vfs.Inode;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The verifiers of exclusive creates, by which a repeated request is told from a second one. The newest of them are
 * kept, in memory only, while RFC 8881 section 18.16.3 wants stable storage: a client that repeats its OPEN in a new
 * session after a restart of the server is told that the file exists, though it has made it itself. Thread safe.
 */
final class ExclusiveCreates {
    private static final int MAX_KEPT = 16_384;

    private final Map<Inode, Long> verifiers = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Inode, Long> eldest) {
            return size() > MAX_KEPT;
        }
    };

    synchronized void made(Inode inode, long verifier) {
        verifiers.put(inode, verifier);
    }

    synchronized boolean isMadeBy(Inode inode, long verifier) {
        Long known = verifiers.get(inode);
        return known != null && known == verifier;
    }
}
