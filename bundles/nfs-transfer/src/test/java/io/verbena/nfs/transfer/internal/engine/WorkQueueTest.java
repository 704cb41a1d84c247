package io.verbena.nfs.transfer.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class WorkQueueTest {
    private record Named(String name, boolean isSmall) implements WorkQueue.Work {
        @Override
        public void run() {
            // Only the queue is tested.
        }
    }

    private static final Named SMALL = new Named("small", true);
    private static final Named LARGE = new Named("large", false);
    private static final Named STEP = new Named("step", false);

    private static WorkQueue queue(Named... files) {
        return new WorkQueue(new SystemRuntime(), List.of(files).iterator(), 1);
    }

    @Test
    void shouldGiveSmallFilesBesideLargeWork() throws Exception {
        WorkQueue queue = queue(LARGE, SMALL, SMALL);
        assertThat(queue.take()).isSameAs(LARGE);
        assertThat(queue.take()).isSameAs(SMALL);
        assertThat(queue.take()).isSameAs(SMALL);
        queue.end(SMALL);
        queue.end(SMALL);
        queue.end(LARGE);
        assertThat(queue.take()).isNull();
    }

    @Test
    void shouldGiveALargeFileOnceTheOneBeforeItHasEnded() throws Exception {
        WorkQueue queue = queue(LARGE, STEP);
        assertThat(queue.take()).isSameAs(LARGE);
        queue.end(LARGE);
        assertThat(queue.take()).isSameAs(STEP);
        queue.end(STEP);
        assertThat(queue.take()).isNull();
    }

    @Test
    void shouldGiveStepsBeforeFiles() throws Exception {
        WorkQueue queue = queue(LARGE, SMALL);
        assertThat(queue.take()).isSameAs(LARGE);
        queue.add(List.of(STEP));
        queue.end(LARGE);
        assertThat(queue.take()).isSameAs(STEP);
    }
}
