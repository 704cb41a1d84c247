package io.verbena.nfs.nio.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;

/** Threads that wait for the mount that takes the place of another one. */
class ReplaceableMountTest {
    private final Mount first = mount();
    private final Mount second = mount();
    private final CountDownLatch come = new CountDownLatch(1);
    private final Semaphore waiting = new Semaphore(0);

    private final ReplaceableMount mount = new ReplaceableMount(new MountSource() {
        @Override
        public Mount get() {
            return first;
        }

        @Override
        public Mount successor(Mount gone) throws IOException {
            waiting.release();
            try {
                come.await();
            } catch (InterruptedException e) {
                throw (IOException) new InterruptedIOException("interrupted").initCause(e);
            }
            return second;
        }

        @Override
        public boolean isReplaceable() {
            return true;
        }

        @Override
        public void close() {
            // nothing is open
        }
    });

    private static Mount mount() {
        return (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(), new Class<?>[] {Mount.class}, (proxy, method, arguments) -> {
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    private FutureTask<Mount> waiter() {
        return new FutureTask<>(() -> mount.successor(first));
    }

    @Test
    void shouldLetAThreadBeInterruptedWhileAnotherOneWaits() throws Exception {
        assertThat(mount.now()).isSameAs(first);
        FutureTask<Mount> one = waiter();
        FutureTask<Mount> other = waiter();
        Thread waits = new Thread(one, "waits");
        Thread interrupted = new Thread(other, "interrupted");
        waits.start();
        interrupted.start();
        waiting.acquire(2); // no thread holds a lock while it waits

        interrupted.interrupt();

        assertThatThrownBy(other::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedIOException.class);
        assertThat(one).isNotDone();
        come.countDown();
        assertThat(one.get()).isSameAs(second);
        assertThat(mount.now()).isSameAs(second);
        assertThat(mount.successor(first)).isSameAs(second);
        waits.join();
        interrupted.join();
    }
}
