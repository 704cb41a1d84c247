package io.verbena.fuse.internal.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fuse.internal.Answer;
import io.verbena.runtime.Runtime;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import org.junit.jupiter.api.Test;

/** Requests on a host that gives a single thread. */
final class RequestThreadsTest {
    private final List<Runnable> threads = new ArrayList<>();
    private final List<String> done = new ArrayList<>();

    private RequestThreads threads(boolean endSoon) {
        ExecutorService host = Answer.as(ExecutorService.class, (method, args) -> {
            if (!threads.isEmpty()) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return threads.add((Runnable) args[0]);
        });
        Runtime runtime = Answer.as(Runtime.class, (method, args) -> host);
        return new RequestThreads(runtime, "test", 10, endSoon);
    }

    @Test
    void shouldExecuteARequestByTheThreadThatThereIs() {
        RequestThreads requests = threads(true);
        requests.execute(() -> done.add("open"));
        requests.execute(() -> done.add("close"));
        assertThat(done).isEmpty();
        threads.remove(0).run();
        assertThat(done).containsExactly("open", "close");
        requests.execute(() -> done.add("again"));
        threads.remove(0).run();
        assertThat(done).containsExactly("open", "close", "again");
    }

    @Test
    void shouldRefuseWhatWouldWaitBehindAWaitWithoutEnd() {
        RequestThreads waits = threads(false);
        waits.execute(() -> done.add("lock"));
        assertThatThrownBy(() -> waits.execute(() -> done.add("other"))).isInstanceOf(OutOfMemoryError.class);
        threads.remove(0).run();
        assertThat(done).containsExactly("lock");
    }

    @Test
    void shouldGoOnBehindAnErrorThatCannotBeLogged() {
        RequestThreads requests = threads(true);
        requests.execute(() -> {
            throw new Error() { // which cannot be logged, as where there is no memory for that
                private static final long serialVersionUID = 1L;

                @Override
                public void printStackTrace(PrintStream log) {
                    throw this;
                }
            };
        });
        requests.execute(() -> done.add("close"));
        threads.remove(0).run();
        assertThat(done).containsExactly("close");
    }

    @Test
    void shouldRefuseWhereThereIsNoThreadAtAll() {
        RequestThreads requests = threads(true);
        boolean unused = threads.add(() -> {}); // of somebody else
        assertThatThrownBy(() -> requests.execute(() -> done.add("open"))).isInstanceOf(OutOfMemoryError.class);
        threads.clear();
        requests.execute(() -> done.add("close"));
        threads.remove(0).run();
        assertThat(done).containsExactly("close");
    }
}
