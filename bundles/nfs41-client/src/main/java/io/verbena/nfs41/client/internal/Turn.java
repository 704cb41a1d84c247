package io.verbena.nfs41.client.internal;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** A call that waits for its turn in the order of a file's writes: see {@link WriteBack}. */
sealed interface Turn {
    /** A write whose pieces go out as there is room. */
    record Writing(Submission submission) implements Turn {}

    /**
     * An append whose caller was not told its place yet.
     *
     * @param placed gets the place
     * @param size asks the server for the size
     */
    record Appending(Submission submission, LongConsumer placed, Supplier<CompletableFuture<Long>> size)
            implements Turn {}

    /**
     * A change of the file as a whole.
     *
     * @param done completes with its outcome
     */
    record Changing<T>(Supplier<CompletableFuture<T>> change, CompletableFuture<T> done) implements Turn {}
}
