package io.verbena.hadoop.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountOptions;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class SharedMountsTest {
    private final CyclicBarrier together = new CyclicBarrier(2);
    private final Queue<String> closed = new ConcurrentLinkedQueue<>();
    private boolean isEnding;
    private final SharedMounts mounts = new SharedMounts(this::mount, () -> isEnding);

    /** A mount whose end waits for that of the other one. */
    private ClosableMount mount(SharedMounts.Key key) {
        return (ClosableMount) Proxy.newProxyInstance(
                ClosableMount.class.getClassLoader(),
                new Class<?>[] {ClosableMount.class},
                (self, method, arguments) -> {
                    if (method.getName().equals("close")) {
                        int unused = together.await(10, TimeUnit.SECONDS);
                        closed.add(key.server());
                    }
                    return method.getName().equals("name") ? key.server() : null;
                });
    }

    private SharedMounts.Part join(String server) throws IOException {
        return mounts.join(new SharedMounts.Key(server, MountOptions.DEFAULTS, null));
    }

    @Test
    void shouldEndAllMountsSideBySide() throws IOException {
        SharedMounts.Part one = join("one");
        SharedMounts.Part two = join("two");
        assertThat(one.mount()).isNotSameAs(two.mount());
        mounts.closeAll();
        assertThat(closed).containsExactlyInAnyOrder("one", "two");
    }

    /** Hadoop closes one file system after the other then. */
    @Test
    void shouldLeaveTheEndOfMountsToTheHookOfTheProcess() throws IOException {
        mounts.hook();
        SharedMounts.Part one = join("one");
        SharedMounts.Part two = join("two");
        isEnding = true;
        one.close();
        two.close();
        assertThat(closed).isEmpty();
        mounts.closeAll();
        assertThat(closed).containsExactlyInAnyOrder("one", "two");
    }
}
