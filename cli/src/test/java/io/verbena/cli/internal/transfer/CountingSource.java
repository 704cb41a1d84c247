package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Tells when four reads are in flight. */
record CountingSource(BlockSource source, AtomicInteger inFlight, CountDownLatch several) implements BlockSource {
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
