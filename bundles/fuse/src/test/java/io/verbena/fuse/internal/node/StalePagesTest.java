package io.verbena.fuse.internal.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.kernel.FakeKernel;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

final class StalePagesTest {
    private final FakeKernel kernel = new FakeKernel();
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final StalePages pages = new StalePages(this::execute, kernel.device());
    private final Node node = new Node(7, null);
    private final Node other = new Node(8, null);
    private boolean hasThreads = true;

    private void execute(Runnable task) {
        if (!hasThreads) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        tasks.add(task);
    }

    /** Else they would occupy all threads behind one page, whose READ may need a thread itself. */
    @Test
    void shouldOccupyOneThreadForANode() {
        pages.drop(node);
        pages.drop(node);
        pages.drop(other);
        assertThat(tasks).hasSize(2);
        tasks.remove().run();
        tasks.remove().run();
        assertThat(kernel.dropped()).containsExactly(7L, 8L);
        pages.drop(node);
        tasks.remove().run();
        assertThat(kernel.dropped()).containsExactly(7L, 8L, 7L);
    }

    @Test
    void shouldDropAgainWhatBecomesStaleMeanwhile() {
        kernel.onDrop(() -> {
            if (kernel.dropped().size() < 3) {
                pages.drop(node);
            }
        });
        pages.drop(node);
        tasks.remove().run();
        assertThat(tasks).isEmpty();
        assertThat(kernel.dropped()).containsExactly(7L, 7L, 7L);
    }

    @Test
    void shouldLeaveItToTheNextOpenWhereThereIsNoThread() {
        assertThat(node.isUnchanged(1)).isFalse();
        assertThat(node.isUnchanged(1)).isTrue();
        hasThreads = false;
        pages.drop(node);
        assertThat(node.isUnchanged(1)).isFalse();
        assertThat(node.isUnchanged(1)).isTrue();
        hasThreads = true;
        pages.drop(node);
        assertThat(tasks).hasSize(1);
    }
}
