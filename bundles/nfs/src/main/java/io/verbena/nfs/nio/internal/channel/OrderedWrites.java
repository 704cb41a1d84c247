package io.verbena.nfs.nio.internal.channel;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.nio.internal.file.OpenFile;
import io.verbena.nfs.nio.internal.mount.Failures;
import io.verbena.nfs.nio.internal.mount.Futures;
import io.verbena.nfs.nio.internal.mount.ReplaceableMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * The unanswered writes of an asynchronous channel. The mount keeps their order. If the mount is replaced, the writes
 * that failed because of that are sent to the next mount in the order of the calls, and later calls come after them.
 * Thread safe.
 */
public final class OrderedWrites {
    private final OpenFile file;
    private final Waiting waiting;

    @GuardedBy("this")
    private final Set<Write> open = new LinkedHashSet<>();

    @GuardedBy("this")
    private boolean recovering;

    /** Executes a step that waits for the next mount, on a thread that may wait. */
    @FunctionalInterface
    public interface Waiting {
        /**
         * Returns at once.
         *
         * @param failed called if the step fails or cannot be executed
         */
        void begin(Step step, Consumer<Throwable> failed);
    }

    /** A step that may wait. */
    @FunctionalInterface
    public interface Step {
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
        private final BorrowingFuture.Attempts attempts;
        private RemoteFile via;
        private CompletableFuture<Void> sent;

        /**
         * Complete when the answer was processed; null while the write is to be sent. Not the answer itself:
         * {@link #recover} waits until it is known which writes are sent again. Guarded by the monitor of the {@link
         * OrderedWrites} that holds it; not null between {@link #send} and {@link #follow}.
         */
        private CompletableFuture<Void> reply;

        private int replacements;

        Write(ByteBuffer source, long position, BorrowingFuture<?> borrower) {
            this.attempts = new BorrowingFuture.Attempts(borrower);
            this.source = source;
            this.start = source.position();
            this.position = position;
        }
    }

    /** @param borrower the operation of the caller, who may give it up */
    CompletableFuture<Void> write(ByteBuffer source, long position, BorrowingFuture<?> borrower) {
        Write write = new Write(source, position, borrower);
        boolean isSent = false;
        synchronized (this) {
            open.add(write);
            if (!recovering) {
                send(write, file.now());
                isSent = true;
            }
        }
        if (isSent) {
            follow(write);
        }
        return write.result;
    }

    /** Sends a write; {@link #follow} has to be called without the lock. */
    @GuardedBy("this")
    private void send(Write write, RemoteFile via) {
        CompletableFuture<Void> reply = new CompletableFuture<>();
        CompletableFuture<Void> sent;
        try {
            sent = write.attempts.begin()
                    ? via.writeAsync(write.source.position(write.start), write.position)
                    : CompletableFuture.failedFuture(new CancellationException("the write was given up"));
        } catch (Throwable e) {
            sent = CompletableFuture.failedFuture(e);
        }
        write.attempts.underWay(sent);
        write.via = via;
        write.sent = sent;
        write.reply = reply;
    }

    /** Waits for the answer, which may be there: what continues the result of a write runs without the lock. */
    private void follow(Write write) {
        CompletableFuture<Void> processed = write.reply;
        Futures.whenDone(
                write.sent,
                thrown -> {
                    end(write, thrown);
                    processed.complete(null);
                },
                (done, thrown) -> {
                    answered(write, thrown);
                    processed.complete(null);
                });
    }

    private void answered(Write write, Throwable cause) {
        write.attempts.end();
        boolean again = cause instanceof IOException
                && Failures.replacement(cause).isPresent()
                && write.replacements++ < ReplaceableMount.MAX_REPLACEMENTS;
        if (again) {
            boolean first;
            synchronized (this) {
                write.reply = null;
                first = !recovering;
                recovering = true;
            }
            if (first) { // recover() waits, which the thread that completes a call must not
                waiting.begin(() -> recover(write.via, (IOException) cause), this::giveUp);
            }
            return;
        }
        end(write, cause);
    }

    private void end(Write write, Throwable cause) {
        write.attempts.end();
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
        Void unused = file.await(CompletableFuture.allOf(underWay()));
        List<Write> again = new ArrayList<>();
        try {
            sendAgain(again);
        } finally {
            again.forEach(this::follow);
        }
    }

    /** @param sent receives the writes that are sent */
    private synchronized void sendAgain(List<Write> sent) {
        recovering = false;
        RemoteFile next = file.now();
        for (Write write : open) {
            if (write.reply == null) {
                send(write, next);
                sent.add(write);
            }
        }
    }

    /** The writes that the former mount has yet to answer, which it does at once. */
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
