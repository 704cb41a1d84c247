package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.bytes;
import static io.verbena.standalone.ContractCase.channel;
import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.open;
import static io.verbena.standalone.ContractCase.read;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** Cases of open files, and of locks on them. */
final class ChannelCases {
    private ChannelCases() {}

    static Stream<ContractCase> channels() {
        return Stream.of(
                channel("read", Set.of(READ), c -> read(c, 4) + read(c.position(8), 4) + read(c, 4)),
                channel("read beyond", Set.of(READ), c -> read(c.position(100), 4)),
                channel("read nothing", Set.of(READ), c -> c.read(ByteBuffer.allocate(0), 0)),
                channel("read at", Set.of(READ), c -> {
                    ByteBuffer buffer = ByteBuffer.allocate(3);
                    return c.read(buffer, 5) + "," + c.position() + "," + c.read(ByteBuffer.allocate(3), 10);
                }),
                channel("read at a negative position", Set.of(READ), c -> c.read(ByteBuffer.allocate(1), -1)),
                channel("read what is open to write", Set.of(WRITE), c -> c.read(ByteBuffer.allocate(1))),
                channel("write what is open to read", Set.of(READ), c -> c.write(bytes("x"))),
                channel("truncate what is open to read", Set.of(READ), c -> c.truncate(1)),
                channel("write in the middle", Set.of(READ, WRITE), c -> {
                    int written = c.position(3).write(bytes("abc"));
                    return written + "," + c.position() + "," + c.size() + read(c, 2);
                }),
                channel(
                        "write at",
                        Set.of(WRITE),
                        c -> c.write(bytes("abc"), 20) + "," + c.position() + "," + c.size()),
                channel("hole", Set.of(WRITE), c -> c.position(15).write(bytes("x")) + "," + c.size()),
                channel(
                        "truncate",
                        Set.of(READ, WRITE),
                        c -> c.position(8).truncate(5).position() + "," + c.size()),
                channel(
                        "truncate to more",
                        Set.of(WRITE),
                        c -> c.position(30).truncate(20).position() + "," + c.size()),
                channel("append", Set.of(APPEND), c -> {
                    int written = c.write(bytes("ab"));
                    return written + c.write(bytes("cd")) + "," + c.position() + "," + c.size();
                }),
                channel("append and read", Set.of(APPEND, READ), c -> c.size()),
                channel("append and truncate", Set.of(APPEND, TRUNCATE_EXISTING), c -> c.size()),
                channel("truncate existing", Set.of(WRITE, TRUNCATE_EXISTING), c -> c.size()),
                channel("truncate existing, to read", Set.of(READ, TRUNCATE_EXISTING), c -> c.size()),
                channel("create new", Set.of(WRITE, CREATE_NEW), c -> c.size()),
                channel("create new, to read", Set.of(READ, CREATE_NEW), c -> c.size()),
                channel("delete on close", Set.of(WRITE, DELETE_ON_CLOSE), c -> c.write(bytes("x"))),
                channel("closed", Set.of(READ), c -> {
                    c.close();
                    return c.isOpen() + "," + c.size();
                }),
                channel("closed, position", Set.of(READ), c -> {
                    c.close();
                    return c.position(0);
                }),
                channel("scatter", Set.of(READ), c -> {
                    ByteBuffer[] buffers = {ByteBuffer.allocate(4), ByteBuffer.allocate(4), ByteBuffer.allocate(4)};
                    return c.read(buffers) + "," + c.read(buffers) + "," + c.position();
                }),
                channel("gather", Set.of(READ, WRITE), c -> {
                    long written = c.write(new ByteBuffer[] {bytes("ab"), bytes("cde")});
                    return written + read(c, 10);
                }),
                channel("force", Set.of(WRITE), c -> {
                    c.write(bytes("abc"));
                    c.force(true);
                    return c.size();
                }),
                example("transfer", d -> {
                    Files.writeString(d.resolve("f"), "0123456789");
                    try (FileChannel from = FileChannel.open(d.resolve("f"), READ);
                            FileChannel to = FileChannel.open(d.resolve("g"), WRITE, CREATE)) {
                        return from.transferTo(2, 5, to) + "," + to.transferFrom(from, 1, 3) + ","
                                + to.transferFrom(from, 100, 3) + "," + from.transferTo(20, 3, to);
                    }
                }),
                example("others see what is written", d -> {
                    try (SeekableByteChannel to = open(d.resolve("f"), WRITE, CREATE_NEW);
                            SeekableByteChannel from = open(d.resolve("f"), READ)) {
                        StringBuilder seen = new StringBuilder();
                        for (int i = 0; i < 5; i++) {
                            to.write(bytes("x" + i));
                            seen.append(read(from, 10)).append(Files.size(d.resolve("f")));
                            to.position(0).write(bytes("y"));
                            seen.append(read(from.position(0), 1));
                            to.position(to.size());
                            from.position(to.size());
                        }
                        return seen;
                    }
                }),
                example("a later write lies over an earlier one", d -> {
                    try (SeekableByteChannel one = open(d.resolve("f"), WRITE, CREATE_NEW);
                            FileChannel two = FileChannel.open(d.resolve("f"), READ, WRITE)) {
                        one.write(bytes("aaaa"));
                        two.write(bytes("bb"), 1);
                        one.position(2).write(bytes("c"));
                        return two.size() + read(two, 10);
                    }
                }),
                example("four threads append", ChannelCases::appendByFour),
                example("open without follow", d -> {
                    Files.createSymbolicLink(
                            d.resolve("l"), Files.createFile(d.resolve("f")).getFileName());
                    return open(d.resolve("l"), READ, LinkOption.NOFOLLOW_LINKS);
                }),
                example("asynchronous", d -> {
                    Set<OpenOption> options = Set.of(READ, WRITE, CREATE);
                    try (AsynchronousFileChannel channel =
                            AsynchronousFileChannel.open(d.resolve("f"), options, null)) {
                        ByteBuffer buffer = ByteBuffer.allocate(10);
                        return channel.write(bytes("abcdef"), 2).get() + ","
                                + channel.read(buffer, 4).get() + ","
                                + channel.read(buffer, 8).get() + "," + channel.size() + ","
                                + channel.truncate(3).size();
                    }
                }),
                example(
                        "asynchronous append",
                        d -> AsynchronousFileChannel.open(d.resolve("f"), WRITE, CREATE, APPEND)),
                example("asynchronous read of what is open to write", d -> {
                    try (AsynchronousFileChannel channel =
                            AsynchronousFileChannel.open(d.resolve("f"), WRITE, CREATE)) {
                        return channel.read(ByteBuffer.allocate(1), 0).get();
                    }
                }),
                example("asynchronous closed", d -> {
                    AsynchronousFileChannel channel = AsynchronousFileChannel.open(d.resolve("f"), READ, WRITE, CREATE);
                    channel.close();
                    return channel.read(ByteBuffer.allocate(1), 0).get();
                }));
    }

    /** Four threads append, each by a channel of its own. The records are sorted, since the threads run in no order. */
    private static Object appendByFour(Path directory) throws Exception {
        Path file = Files.createFile(directory.resolve("f"));
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Void>> writers = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                String record = writer + "-".repeat(20 + writer) + "\n";
                writers.add(() -> append(file, record));
            }
            for (Future<Void> done : threads.invokeAll(writers)) {
                done.get();
            }
        } finally {
            threads.shutdown();
        }
        List<String> records = new ArrayList<>(Files.readAllLines(file));
        records.sort(null);
        Files.write(file, records);
        return records.size();
    }

    private static Void append(Path file, String record) throws IOException {
        try (FileChannel channel = FileChannel.open(file, APPEND)) {
            for (int i = 0; i < 200; i++) {
                channel.write(bytes(record));
            }
        }
        return null;
    }

    static Stream<ContractCase> locks() {
        return Stream.of(
                channel("lock", Set.of(WRITE), c -> {
                    FileLock lock = c.lock();
                    String held = lock.isValid() + "," + lock.isShared() + "," + lock.position() + "," + lock.size();
                    lock.release();
                    lock.release();
                    return held + lock.isValid();
                }),
                channel("overlapping", Set.of(WRITE), c -> {
                    c.lock(0, 10, false);
                    return c.tryLock(5, 10, false);
                }),
                channel("side by side", Set.of(WRITE), c -> {
                    c.lock(0, 10, false);
                    return c.tryLock(10, 10, false).isValid();
                }),
                channel("shared without read", Set.of(WRITE), c -> c.lock(0, 10, true)),
                channel("exclusive without write", Set.of(READ), c -> c.lock(0, 10, false)),
                channel("negative", Set.of(WRITE), c -> c.lock(-1, 10, false)),
                example("overlapping by another channel", d -> {
                    try (FileChannel one = FileChannel.open(d.resolve("f"), WRITE, CREATE);
                            FileChannel two = FileChannel.open(d.resolve("f"), WRITE)) {
                        one.lock();
                        return two.tryLock();
                    }
                }),
                example("after the other is closed", d -> {
                    try (FileChannel two = FileChannel.open(d.resolve("f"), WRITE, CREATE)) {
                        FileLock first;
                        try (FileChannel one = FileChannel.open(d.resolve("f"), WRITE)) {
                            first = one.lock();
                        }
                        return first.isValid() + "," + two.tryLock().isValid();
                    }
                }),
                example("release after close", d -> {
                    FileChannel channel = FileChannel.open(d.resolve("f"), WRITE, CREATE);
                    FileLock lock = channel.lock();
                    channel.close();
                    lock.release();
                    return "released";
                }),
                example("asynchronous", d -> {
                    try (AsynchronousFileChannel channel =
                            AsynchronousFileChannel.open(d.resolve("f"), WRITE, CREATE)) {
                        FileLock lock = channel.lock().get();
                        boolean valid = lock.isValid();
                        lock.release();
                        return valid + "," + lock.isValid() + ","
                                + channel.tryLock().isValid();
                    }
                }));
    }
}
