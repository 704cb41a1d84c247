package io.verbena.fuse.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.kernel.FakeKernel;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.fuse.internal.node.StalePages;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An open file that one thread opens again, by a mount whose server does not answer. */
@Timeout(60)
final class OpenFileTest {
    private static final int READ_AND_WRITE = 2;
    private static final long SECONDS = 30;

    private final FakeMounts mounts = new FakeMounts(2);
    private final CountDownLatch opens = new CountDownLatch(1);
    private final CountDownLatch answers = new CountDownLatch(1);
    private FutureTask<FileAttributes> opener;
    private OpenFile file;

    @BeforeEach
    void beginToOpenAgain() throws Exception {
        NodeTable nodes = new NodeTable();
        file = new OpenFile(
                mounts.present(),
                nodes,
                nodes.found(nodes.root(), "a", FakeMounts.ATTRIBUTES),
                READ_AND_WRITE,
                mounts.get(0).mount,
                mounts.get(0).file,
                new StalePages(Runnable::run, new FakeKernel().device()));
        mounts.get(1).onOpen = () -> {
            opens.countDown();
            try {
                answers.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        };
        mounts.get(0).replace();
        opener = new FutureTask<>(file::attributes);
        new Thread(opener).start();
        assertThat(opens.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @AfterEach
    void answer() {
        answers.countDown();
    }

    private static <T> T get(FutureTask<T> task) throws Exception {
        return task.get(SECONDS, TimeUnit.SECONDS);
    }

    /** As of a program that is killed while it waits. */
    @Test
    void shouldEndAWaitForTheThreadThatOpensItAgainByAnInterrupt() throws Exception {
        FutureTask<FileAttributes> waiting = new FutureTask<>(file::attributes);
        Thread thread = new Thread(waiting);
        thread.start();
        thread.interrupt();
        assertThatThrownBy(() -> get(waiting))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(InterruptedIOException.class);
        assertThat(opener).isNotDone();
        answers.countDown();
        assertThat(get(opener)).isEqualTo(FakeMounts.ATTRIBUTES);
        assertThat(file.now()).isSameAs(mounts.get(1).file);
    }

    @Test
    void shouldBeReleasedMeanwhileAndCloseWhatIsOpenedForNobody() throws Exception {
        FutureTask<Void> release = new FutureTask<>(() -> {
            file.release();
            return null;
        });
        new Thread(release).start();
        assertThat(get(release)).isNull();
        assertThat(opener).isNotDone();
        answers.countDown();
        assertThatThrownBy(() -> get(opener))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(ClosedChannelException.class);
        assertThat(mounts.get(1).calls).containsExactly("open /a", "close");
    }
}
