package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
final class BorrowingFutureTest {
    private final BorrowingFuture<Integer> future = new BorrowingFuture<>(new BorrowingFuture.Threads() {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void complete(Runnable completion) {
            completion.run();
        }
    });
    private final List<String> givenUp = new ArrayList<>();

    private static Stream<Consumer<CompletableFuture<Integer>>> outsideCompletions() {
        return Stream.of(
                f -> f.cancel(true),
                f -> f.complete(5),
                f -> f.completeExceptionally(new IOException("enough")),
                f -> f.completeAsync(() -> 5, Runnable::run),
                f -> f.completeAsync(
                        () -> {
                            throw new IllegalStateException("no value");
                        },
                        Runnable::run),
                f -> {
                    CompletableFuture<Integer> unused = f.completeOnTimeout(5, 0, TimeUnit.NANOSECONDS);
                },
                f -> {
                    CompletableFuture<Integer> unused = f.orTimeout(0, TimeUnit.NANOSECONDS);
                });
    }

    @ParameterizedTest
    @MethodSource("outsideCompletions")
    void completesOnceTheLastUseHasEnded(Consumer<CompletableFuture<Integer>> complete) throws Exception {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        BorrowingFuture.Use first = () -> asked.complete(null);
        BorrowingFuture.Use second = () -> {};
        assertThat(future.begin(first)).isTrue();
        assertThat(future.begin(second)).isTrue();
        complete.accept(future);
        asked.get();
        assertThat(future.isGivenUp()).isTrue();
        assertThat(future.begin(() -> {})).isFalse();
        future.end(first);
        future.end(first);
        assertThat(future).isNotDone();
        future.finish(9, null); // too late
        assertThat(future).isNotDone();
        future.end(second);
        assertThat(future).isDone();
        assertThat(future.exceptionally(thrown -> 5).get()).isEqualTo(5);
    }

    @Test
    void completesAtOnceWhereNothingUsesTheBuffer() {
        assertThat(future.cancel(false)).isTrue();
        assertThat(future).isCancelled();
        assertThat(future.cancel(false)).isTrue();
        assertThat(future.complete(3)).isFalse();
        future.use(() -> givenUp.add("used"));
        assertThat(givenUp).isEmpty();
    }

    @Test
    void tellsAFailureByItsCause() {
        future.finish(null, new CompletionException(new IOException("no")));
        assertThatThrownBy(future::get).isInstanceOf(ExecutionException.class).hasCauseInstanceOf(IOException.class);
    }

    @Test
    void waitsForTheUsesOfAnOperationThatEndsByItself() {
        BorrowingFuture.Use use = () -> givenUp.add("asked");
        assertThat(future.begin(use)).isTrue();
        future.finish(7, null);
        assertThat(future).isNotDone();
        future.end(use);
        assertThat(future).isCompletedWithValue(7);
        assertThat(givenUp).isEmpty();
    }

    @Test
    void cannotBeObtruded() {
        assertThatThrownBy(() -> future.obtrudeValue(1)).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> future.obtrudeException(new TimeoutException()))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(future).isNotDone();
    }

    @Test
    void cancelsTheAttemptUnderWay() {
        BorrowingFuture.Attempts attempts = new BorrowingFuture.Attempts(future);
        CompletableFuture<Void> first = new CompletableFuture<>();
        CompletableFuture<Void> second = new CompletableFuture<>();
        assertThat(attempts.begin()).isTrue();
        attempts.underWay(first);
        attempts.end();
        assertThat(attempts.begin()).isTrue();
        attempts.underWay(second);
        future.cancel(false);
        assertThat(first).isNotDone();
        assertThat(second).isCancelled();
        assertThat(future).isNotDone();
        attempts.end();
        assertThat(future).isCancelled();
        assertThat(attempts.begin()).isFalse();
        CompletableFuture<Void> withoutBuffer = new CompletableFuture<>();
        attempts.underWay(withoutBuffer);
        assertThat(withoutBuffer).isNotDone();
    }

    @Test
    void cancelsAnAttemptThatIsTakenWhileTheOperationIsGivenUp() {
        BorrowingFuture.Attempts attempts = new BorrowingFuture.Attempts(future);
        assertThat(attempts.begin()).isTrue();
        assertThat(future.completeExceptionally(new CancellationException())).isTrue();
        CompletableFuture<Void> attempt = new CompletableFuture<>();
        attempts.underWay(attempt);
        assertThat(attempt).isCancelled();
        attempts.end();
        assertThat(future).isCancelled();
    }
}
