package io.verbena.fuse.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.kernel.Protocol;
import io.verbena.fuse.internal.node.Node;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.runtime.SystemRuntime;
import java.io.InterruptedIOException;
import org.junit.jupiter.api.Test;

final class NodeLocksTest {
    private static final int READ_AND_WRITE = 2;

    private final FakeMounts mounts = new FakeMounts(1);
    private final NodeLocks locks = new NodeLocks(new SystemRuntime());

    private static LockEntry shared(long owner, long start, long end) {
        return new LockEntry(owner, owner, false, start, end, Protocol.F_RDLCK, 1);
    }

    /** The lock of the second program has a part on either side of that of the first one. */
    @Test
    void shouldLoseNoLockOfAnotherWhereASignalEndsARequest() throws Exception {
        NodeTable nodes = new NodeTable();
        Node node = nodes.found(nodes.root(), "a", FakeMounts.ATTRIBUTES);
        FakeMounts.One one = mounts.get(0);
        OpenFile file = new OpenFile(mounts.present(), nodes, node, READ_AND_WRITE, one.mount, one.file);
        assertThat(locks.set(file, shared(1, 10, 19))).isTrue();
        one.onLock = () -> one.onLock = () -> {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("a signal");
        };
        assertThatThrownBy(() -> locks.await(file, shared(2, 0, 29))).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
        assertThat(locks.isLost()).isFalse();
        assertThat(one.calls).containsExactly("unlock");
    }
}
