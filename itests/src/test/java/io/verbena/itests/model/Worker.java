package io.verbena.itests.model;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One of several threads that work on one file. It writes and reads a range of its own through all doors, checks the
 * octets that it reads, and appends records to a file that it shares with the other workers of its mount.
 */
public final class Worker implements Callable<Void> {
    /** The octets in a worker's range. */
    static final int RANGE = 12_000;

    private static final int MOST = 3000;
    private static final long BOUND_SECONDS = 90;
    private static final Set<StandardOpenOption> OPTIONS = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> APPEND = Set.of(StandardOpenOption.APPEND, StandardOpenOption.CREATE);

    private final Side side;
    private final int number;
    private final BooleanSupplier goesOn;
    private final Random random;
    private final byte[] expected = new byte[RANGE];
    private final List<Future<?>> pending = new ArrayList<>();
    private final Trace trace = new Trace();
    private int records;

    private RemoteFile file;
    private SeekableByteChannel channel;
    private FileChannel nio;
    private AsynchronousFileChannel async;
    private RemoteFile logFile;
    private SeekableByteChannel log;

    /**
     * @param number of the worker, from 0 on
     * @param goesOn is asked before each step whether there is another one
     */
    public Worker(Side side, int number, BooleanSupplier goesOn, long seed) {
        this.side = side;
        this.number = number;
        this.goesOn = goesOn;
        this.random = new Random(seed + number);
    }

    /** The expected content of the range. */
    byte[] expected() {
        return expected;
    }

    /**
     * The number of appended records. A record holds the worker's number and the record's number, in two octets each.
     */
    int records() {
        return records;
    }

    public Side side() {
        return side;
    }

    int number() {
        return number;
    }

    @Override
    public Void call() throws Exception {
        try {
            open();
            while (goesOn.getAsBoolean()) {
                trace.nextStep();
                step();
            }
            close();
        } catch (Exception | AssertionError e) {
            throw new AssertionError(
                    "worker " + number + " on " + side + " at step " + trace.step() + ": " + e + "\n" + trace, e);
        }
        return null;
    }

    private void open() throws IOException {
        trace.add("open");
        file = side.mount().open(side.remote("ranges"), OPTIONS, 0);
        channel = file.channel();
        nio = FileChannel.open(side.path("ranges"), OPTIONS);
        async = AsynchronousFileChannel.open(side.path("ranges"), OPTIONS, null);
        if (number % 2 == 0) {
            logFile = side.mount().open(side.remote("log" + side), APPEND, 0644);
            log = logFile.channel();
        } else {
            log = FileChannel.open(side.path("log" + side), APPEND);
        }
    }

    private void close() throws Exception {
        awaitAll();
        trace.add("close");
        channel.close();
        nio.close();
        async.close();
        file.close();
        log.close();
        if (logFile != null) {
            logFile.close();
        }
    }

    private void awaitAll() throws Exception {
        for (Future<?> each : pending) {
            each.get(BOUND_SECONDS, TimeUnit.SECONDS);
        }
        pending.clear();
    }

    private void step() throws Exception {
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> write();
            case 4, 5, 6 -> read();
            case 7 -> sync();
            case 8 -> {
                if (random.nextInt(8) == 0) {
                    close();
                    open();
                }
            }
            default -> append();
        }
    }

    private void write() throws Exception {
        int length = 1 + random.nextInt(MOST);
        int at = random.nextInt(RANGE - length + 1);
        byte[] octets = new byte[length];
        random.nextBytes(octets);
        long position = (long) number * RANGE + at;
        int door = random.nextInt(5);
        trace.add("write " + length + " at " + position + " by door " + door);
        ByteBuffer source = ByteBuffer.wrap(octets.clone());
        switch (door) {
            case 0 -> file.write(source, position);
            case 1 -> channel.position(position).write(source);
            case 2 -> pending.add(file.writeAsync(source, position));
            case 3 -> pending.add(async.write(source, position));
            default -> nio.write(source, position);
        }
        System.arraycopy(octets, 0, expected, at, length);
        if (pending.size() > 6) {
            awaitAll();
        }
    }

    private void read() throws Exception {
        int length = 1 + random.nextInt(MOST);
        int at = random.nextInt(RANGE - length + 1);
        long position = (long) number * RANGE + at;
        int door = random.nextInt(5);
        trace.add("read " + length + " at " + position + " by door " + door);
        ByteBuffer found = ByteBuffer.allocate(length);
        int read =
                switch (door) {
                    case 0 -> file.read(found, position);
                    case 1 -> channel.position(position).read(found);
                    case 2 -> file.readAsync(found, position).get(BOUND_SECONDS, TimeUnit.SECONDS);
                    case 3 -> async.read(found, position).get(BOUND_SECONDS, TimeUnit.SECONDS);
                    default -> nio.read(found, position);
                };
        if (read <= 0) {
            throw new AssertionError("read " + read + " of " + length + " octets");
        }
        int differs = Arrays.mismatch(Arrays.copyOf(found.array(), read), Arrays.copyOfRange(expected, at, at + read));
        if (differs >= 0) {
            throw new AssertionError(
                    "read " + read + " octets at " + position + ", of which number " + differs + " is another's");
        }
    }

    private void sync() throws IOException {
        trace.add("sync");
        file.sync();
        nio.force(true);
    }

    private void append() throws IOException {
        if (records == Short.MAX_VALUE) {
            return;
        }
        trace.add("append record " + records);
        log.write(ByteBuffer.allocate(4)
                .putShort((short) number)
                .putShort((short) records++)
                .flip());
    }
}
