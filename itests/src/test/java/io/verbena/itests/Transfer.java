package io.verbena.itests;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A transfer that a thread of its own repeats until it is told to finish, so that tests can act on the server during a
 * transfer.
 */
public final class Transfer {
    private static final int BOUND_SECONDS = 90;

    private final Mount mount;
    private final String path;
    private final ByteBuffer buffer;
    private final Lock turn;
    private final CountDownLatch underWay = new CountDownLatch(1);
    private final CompletableFuture<byte[]> result = new CompletableFuture<>();
    private final Thread thread;
    private volatile boolean finishing;

    private Transfer(Mount mount, String path, int size, boolean writes, Lock turn) {
        this.turn = turn;
        this.mount = mount;
        this.path = path;
        this.buffer = ByteBuffer.allocate(size);
        Callable<Void> task = writes ? this::write : this::read;
        this.thread = new Thread(() -> run(task), "transfer" + path);
        thread.setDaemon(true);
        thread.start();
    }

    /** Starts to write a file repeatedly, with different content each time. */
    public static Transfer write(Mount mount, String path, int size) {
        return write(mount, path, size, new ReentrantLock());
    }

    /**
     * As above, alternating with other transfers: each transfer moves its file once while it holds the lock, and
     * nothing is in flight between two turns. Linux's server does not stop while a load has no pause.
     */
    public static Transfer write(Mount mount, String path, int size, Lock turn) {
        return new Transfer(mount, path, size, true, turn);
    }

    /** Starts to read a file repeatedly. */
    public static Transfer read(Mount mount, String path, int size) {
        return read(mount, path, size, new ReentrantLock());
    }

    /** As above, in turns with others. */
    public static Transfer read(Mount mount, String path, int size, Lock turn) {
        return new Transfer(mount, path, size, false, turn);
    }

    private void run(Callable<Void> task) {
        try {
            task.call();
            result.complete(buffer.array());
        } catch (Exception e) {
            result.completeExceptionally(e);
        }
        underWay.countDown();
    }

    private Void write() throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try (RemoteFile file = mount.open(path, options, 0644)) {
            int round = 0;
            boolean last;
            do {
                last = finishing;
                new Random(round++).nextBytes(buffer.array());
                turn.lock();
                try {
                    file.write(buffer.clear(), 0);
                } finally {
                    turn.unlock();
                }
                underWay.countDown();
            } while (!last);
        }
        return null;
    }

    private Void read() throws IOException {
        try (RemoteFile file = mount.open(path, Set.of(StandardOpenOption.READ), 0644)) {
            byte[] before = null;
            boolean last;
            do {
                last = finishing;
                buffer.clear();
                if (readInTurn(file) < buffer.capacity()) {
                    throw new EOFException(path + " ends after " + buffer.position() + " octets");
                }
                if (before != null && !Arrays.equals(before, buffer.array())) {
                    throw new IOException(path + " is read differently each time");
                }
                before = buffer.array().clone();
                underWay.countDown();
            } while (!last);
        }
        return null;
    }

    private int readInTurn(RemoteFile file) throws IOException {
        turn.lock();
        try {
            return file.read(buffer, 0);
        } finally {
            turn.unlock();
        }
    }

    /** Waits until the file has been moved once and is being moved again. */
    public Transfer awaitUnderWay() throws InterruptedException {
        if (!underWay.await(BOUND_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError(path + " is not under way after " + BOUND_SECONDS + " s");
        }
        return this;
    }

    /**
     * Ends the transfer after one more complete turn and the close of the file. Returns the content written or read
     * last.
     */
    public byte[] finish() throws InterruptedException, IOException {
        finishing = true;
        return end();
    }

    /** Waits for the end of the transfer, which may be a failure. */
    public byte[] end() throws InterruptedException, IOException {
        try {
            return result.get(BOUND_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            AssertionError hangs = new AssertionError(path + " hangs in mid-transfer", e);
            hangs.setStackTrace(thread.getStackTrace());
            throw hangs;
        } catch (ExecutionException e) {
            throw new IOException(path + " failed: " + e.getCause().getMessage(), e.getCause());
        }
    }

    public void interrupt() {
        thread.interrupt();
    }

    public static String sha256(byte[] content) throws NoSuchAlgorithmException {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    }
}
