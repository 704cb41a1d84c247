package io.verbena.nfs.nio.internal;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * The writes of an asynchronous channel that are not answered. The mount keeps their order; where it is replaced, those
 * that failed for it are handed to the next one in the order of the calls, and those that are called meanwhile come
 * behind. Thread safe.
 */
final class OrderedWrites {
    private final OpenFile file;
    private final Waiting waiting;
    // guarded by this
    private final Set<Write> open = new LinkedHashSet<>();
    private boolean recovering;

    /** Does what waits for the next mount. */
    @FunctionalInterface
    interface Waiting {
        /**
         * Returns at once.
         *
         * @param failed is called where the step fails, or cannot be done
         */
        void begin(Step step, Consumer<Throwable> failed);
    }

    /** Something that waits. */
    @FunctionalInterface
    interface Step {
        void run() throws IOException;
    }

    OrderedWrites(OpenFile file, Waiting waiting) {
        this.file = file;
        this.waiting = waiting;
    }

    private static final class Write {
        private final ByteBuffer source;
        private final int start;
        private final long position;
        private final CompletableFuture<Void> result = new CompletableFuture<>();
        private RemoteFile via;
        /** Complete once its answer was taken; null while it is to be sent. */
        private CompletableFuture<?> reply;

        private int replacements;

        Write(ByteBuffer source, long position) {
            this.source = source;
            this.start = source.position();
            this.position = position;
        }
    }

    CompletableFuture<Void> write(ByteBuffer source, long position) {
        Write write = new Write(source, position);
        synchronized (this) {
            open.add(write);
            if (!recovering) {
                send(write);
            }
        }
        return write.result;
    }

    private void send(Write write) {
        RemoteFile via = file.now();
        CompletableFuture<Void> sent;
        try {
            sent = via.writeAsync(write.source.position(write.start), write.position);
        } catch (RuntimeException | Error e) {
            sent = CompletableFuture.failedFuture(e);
        }
        write.via = via;
        CompletableFuture<Void> processed = new CompletableFuture<>();
        write.reply = processed; // not the answer: recovering waits until it is known which writes are to be sent again
        CompletableFuture<Void> unused = sent.whenComplete((done, thrown) -> {
            try {
                answered(write, thrown);
            } finally {
                processed.complete(null);
            }
        });
    }

    private void answered(Write write, Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        boolean again = cause instanceof IOException
                && Failures.replacement(cause).isPresent()
                && write.replacements++ < Remote.MAX_REPLACEMENTS;
        if (again) {
            boolean first;
            synchronized (this) {
                write.reply = null;
                first = !recovering;
                recovering = true;
            }
            if (first) { // it waits, which the thread that tells of it must not
                waiting.begin(() -> recover(write.via, (IOException) cause), this::giveUp);
            }
            return;
        }
        end(write, cause);
    }

    private void end(Write write, Throwable cause) {
        synchronized (this) {
            open.remove(write);
        }
        if (cause == null) {
            write.result.complete(null);
        } else {
            write.result.completeExceptionally(cause);
        }
    }

    private void recover(RemoteFile gone, IOException failure) throws IOException {
        file.reopen(gone, failure);
        CompletableFuture.allOf(underWay()).join();
        synchronized (this) {
            recovering = false;
            for (Write write : List.copyOf(open)) {
                if (!recovering && write.reply == null) { // else the next mount went too
                    send(write);
                }
            }
        }
    }

    /** What the mount that went has still to answer, which it does at once. */
    private synchronized CompletableFuture<?>[] underWay() {
        return open.stream()
                .filter(write -> write.reply != null)
                .map(write -> write.reply)
                .toArray(CompletableFuture[]::new);
    }

    private void giveUp(Throwable failure) {
        List<Write> all;
        synchronized (this) {
            recovering = false;
            all = open.stream().filter(write -> write.reply == null).toList();
        }
        all.forEach(write -> end(write, failure));
    }
}
