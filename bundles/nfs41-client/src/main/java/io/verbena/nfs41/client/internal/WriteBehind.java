package io.verbena.nfs41.client.internal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/** Collects small writes in order and sends them while the writer goes on. Used under its channel's lock. */
final class WriteBehind {
    private static final int WINDOW = 8;

    private final NfsFile file;
    private final Deque<CompletableFuture<Void>> sent = new ArrayDeque<>();
    private ByteBuffer filling;
    private long fillingOffset;

    WriteBehind(NfsFile file) {
        this.file = file;
    }

    /** Takes all of {@code source}; an earlier write's failure is thrown here. */
    void write(ByteBuffer source, long position) throws IOException {
        long at = position;
        if (filling != null && at != fillingOffset + filling.position()) {
            send();
        }
        while (source.hasRemaining()) {
            if (filling == null) {
                filling = file.pool().take(file.wsize());
                fillingOffset = at;
            }
            int length = Math.min(source.remaining(), filling.remaining());
            filling.put(filling.position(), source, source.position(), length);
            filling.position(filling.position() + length);
            source.position(source.position() + length);
            at += length;
            if (!filling.hasRemaining()) {
                send();
            }
        }
    }

    /** Sends what was collected and does not wait. */
    void push() {
        if (filling != null) {
            ByteBuffer full = filling.flip();
            filling = null;
            sent.add(file.writeBack().writeOwned(full, fillingOffset));
        }
    }

    private void send() throws IOException {
        if (filling == null) {
            return;
        }
        push();
        while (sent.size() > WINDOW || (!sent.isEmpty() && sent.element().isDone())) {
            Blocking.await(sent.remove());
        }
    }

    boolean isEmpty() {
        return filling == null && sent.isEmpty();
    }

    /** Whether something was collected and not sent. */
    boolean isFilling() {
        return filling != null;
    }

    /** Sends what was collected and waits until the server has it. */
    void flush() throws IOException {
        send();
        while (!sent.isEmpty()) {
            Blocking.await(sent.remove());
        }
    }
}
