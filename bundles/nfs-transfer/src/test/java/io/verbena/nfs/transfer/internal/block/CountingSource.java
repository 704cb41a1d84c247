package io.verbena.nfs.transfer.internal.block;

import io.verbena.nfs.transfer.internal.tree.BlockSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A source that signals when four reads are in flight. */
public record CountingSource(BlockSource source, AtomicInteger inFlight, CountDownLatch several)
        implements BlockSource {
    @Override
    public long size() {
        return source.size();
    }

    @Override
    public boolean isAsynchronous() {
        return source.isAsynchronous();
    }

    @Override
    public CompletableFuture<Integer> read(ByteBuffer destination, long position) throws IOException {
        if (inFlight.incrementAndGet() >= 4) {
            several.countDown();
        }
        return source.read(destination, position).whenComplete((count, failure) -> inFlight.decrementAndGet());
    }

    @Override
    public void close() throws IOException {
        source.close();
    }
}
