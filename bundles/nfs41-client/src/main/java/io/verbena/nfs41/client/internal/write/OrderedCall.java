package io.verbena.nfs41.client.internal.write;

import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** A call in the ordered queue of a file's writes: see {@link WriteBack}. */
sealed interface OrderedCall {
    /** A write whose chunks are sent as there is room. */
    record Writing(SubmittedWrite submission) implements OrderedCall {}

    /**
     * An append whose caller does not know its offset yet.
     *
     * @param placed gets the offset
     * @param size asks the server for the size
     * @param placedWrite the write that the append becomes
     */
    record Appending(
            SubmittedWrite submission, LongConsumer placed, Supplier<CompletableFuture<Long>> size, Writing placedWrite)
            implements OrderedCall {
        Appending(SubmittedWrite submission, LongConsumer placed, Supplier<CompletableFuture<Long>> size) {
            this(submission, placed, size, new Writing(submission));
        }
    }

    /**
     * A change of the whole file.
     *
     * @param done completes with the outcome of the change
     */
    record Changing<T>(Supplier<CompletableFuture<T>> change, CompletableFuture<T> done) implements OrderedCall {}
}
