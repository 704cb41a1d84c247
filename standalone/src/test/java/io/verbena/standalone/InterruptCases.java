package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.bytes;
import static io.verbena.standalone.ContractCase.example;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.stream.Stream;

/** Cases of operations on a thread that was interrupted before. */
final class InterruptCases {
    private InterruptCases() {}

    private static ContractCase interrupted(String name, ContractCase.Work work) {
        return example(name + ", interrupted", d -> {
            Files.writeString(d.resolve("f"), "0123456789");
            Thread.currentThread().interrupt();
            String outcome;
            try {
                outcome = String.valueOf(work.in(d));
            } catch (Exception e) {
                outcome = e.getClass().getName();
            }
            return outcome + " " + Thread.interrupted();
        });
    }

    static Stream<ContractCase> files() {
        return Stream.of(
                interrupted("read all", d -> Files.readString(d.resolve("f"))),
                interrupted("write all", d -> Files.writeString(d.resolve("g"), "abc")),
                interrupted("make and remove", d -> {
                    Files.createDirectory(d.resolve("e"));
                    Files.createSymbolicLink(d.resolve("l"), d.getFileSystem().getPath("f"));
                    Files.move(d.resolve("f"), d.resolve("h"));
                    Files.delete(d.resolve("e"));
                    return Files.exists(d.resolve("h"));
                }),
                interrupted("set attributes", d -> {
                    Files.setLastModifiedTime(d.resolve("f"), FileTime.fromMillis(1000));
                    return Files.getLastModifiedTime(d.resolve("f"));
                }),
                interrupted("list", d -> {
                    try (Stream<Path> paths = Files.list(d)) {
                        return paths.toList();
                    }
                }),
                interrupted("copy", d -> Files.copy(d.resolve("f"), d.resolve("g"))),
                interrupted("read a stream", d -> {
                    try (InputStream in = Files.newInputStream(d.resolve("f"))) {
                        return in.read();
                    }
                }),
                interrupted("write a stream", d -> {
                    try (OutputStream out = Files.newOutputStream(d.resolve("g"))) {
                        out.write(65);
                    }
                    return Files.readString(d.resolve("g"));
                }),
                interrupted("lines", d -> Files.readAllLines(d.resolve("f"))));
    }

    private static ContractCase channel(String name, ContractCase.ChannelWork work) {
        return interrupted(name, d -> {
            try (FileChannel channel = FileChannel.open(d.resolve("f"), READ, WRITE)) {
                String outcome;
                try {
                    outcome = String.valueOf(work.on(channel));
                } catch (Exception e) {
                    outcome = e.getClass().getName();
                }
                return outcome + channel.isOpen();
            }
        });
    }

    static Stream<ContractCase> channels() {
        return Stream.of(
                channel("open", FileChannel::isOpen),
                channel("read", c -> c.read(ByteBuffer.allocate(1))),
                channel("read at", c -> c.read(ByteBuffer.allocate(1), 1)),
                channel("scatter", c -> c.read(new ByteBuffer[] {ByteBuffer.allocate(1)})),
                channel("write", c -> c.write(bytes("x"))),
                channel("write at", c -> c.write(bytes("x"), 1)),
                channel("gather", c -> c.write(new ByteBuffer[] {bytes("x")})),
                channel("position", FileChannel::position),
                channel("move", c -> c.position(3).isOpen()),
                channel("size", FileChannel::size),
                channel("truncate", c -> c.truncate(3).isOpen()),
                channel("force", c -> {
                    c.force(true);
                    return "forced";
                }),
                channel("lock", c -> c.lock().isValid()),
                channel("try to lock", c -> c.tryLock().isValid()),
                channel("transfer to", c -> c.transferTo(0, 4, c)),
                interrupted("write what was not sent, and close", d -> {
                    Thread.interrupted();
                    FileChannel channel = FileChannel.open(d.resolve("f"), WRITE);
                    int written = channel.write(bytes("abc"));
                    Thread.currentThread().interrupt();
                    channel.close();
                    return written + Files.readString(d.resolve("f"));
                }),
                interrupted("give a lock back", d -> {
                    Thread.interrupted();
                    try (FileChannel channel = FileChannel.open(d.resolve("f"), WRITE)) {
                        FileLock lock = channel.lock();
                        Thread.currentThread().interrupt();
                        lock.release();
                        return lock.isValid() + "," + channel.isOpen();
                    }
                }),
                interrupted("asynchronous", d -> {
                    try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(d.resolve("f"), READ, WRITE)) {
                        channel.force(true);
                        return List.of(
                                channel.size(),
                                channel.truncate(3).isOpen(),
                                channel.tryLock().isValid());
                    }
                }));
    }
}
