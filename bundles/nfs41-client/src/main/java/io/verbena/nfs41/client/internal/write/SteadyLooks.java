package io.verbena.nfs41.client.internal.write;

import io.verbena.nfs.ServerUnavailableException;
import io.verbena.rpc.retry.RetryPolicy;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Reads of data, attributes or sizes, which are repeated where the server has restarted meanwhile: it may have lost
 * writes, which are in what is read only once they are written again. Thread safe.
 */
public final class SteadyLooks {
    private final Supplier<RetryPolicy.Series> patience;

    /** @param patience begins the time of a read with its repetitions */
    public SteadyLooks(Supplier<RetryPolicy.Series> patience) {
        this.patience = patience;
    }

    /**
     * Reads, and repeats that until the time is over.
     *
     * @param restarts counts the restarts of the server
     */
    public <T> CompletableFuture<T> look(IntSupplier restarts, Supplier<CompletableFuture<T>> look) {
        return look(restarts, look, patience.get());
    }

    private static <T> CompletableFuture<T> look(
            IntSupplier restarts, Supplier<CompletableFuture<T>> look, RetryPolicy.Series time) {
        int before = restarts.getAsInt();
        return look.get().thenCompose(seen -> {
            if (restarts.getAsInt() == before) {
                return CompletableFuture.completedFuture(seen);
            }
            return time.isOver()
                    ? CompletableFuture.failedFuture(new ServerUnavailableException(
                            "the server restarts again and again, and may lose what was written: try again", null))
                    : look(restarts, look, time);
        });
    }
}
