package io.verbena.standalone;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A piece of a program that works in an empty directory of any file system. */
record ContractCase(String name, Work work) {
    /** The operation; it returns its result. */
    @FunctionalInterface
    interface Work {
        Object in(Path directory) throws Exception;
    }

    /** An operation on an open file. */
    @FunctionalInterface
    interface ChannelWork {
        Object on(FileChannel channel) throws Exception;
    }

    @Override
    public String toString() {
        return name;
    }

    static ContractCase example(String name, Work work) {
        return new ContractCase(name, work);
    }

    static SeekableByteChannel open(Path path, OpenOption... options) throws IOException {
        return Files.newByteChannel(path, options);
    }

    static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    static String read(SeekableByteChannel channel, int size) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(size);
        int read = channel.read(buffer);
        return read + ":" + new String(buffer.array(), 0, buffer.position(), StandardCharsets.UTF_8);
    }

    static ContractCase channel(String name, Set<OpenOption> options, ChannelWork work) {
        return example(name, d -> {
            Files.writeString(d.resolve("f"), "0123456789");
            try (FileChannel channel = FileChannel.open(d.resolve("f"), options)) {
                return work.on(channel);
            }
        });
    }

    static FileAttribute<?> permissions(String text) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(text));
    }

    static Path path(Path directory, String text) {
        return directory.getFileSystem().getPath(text);
    }

    static Path tree(Path directory, String name) throws IOException {
        Path top = Files.createDirectory(directory.resolve(name));
        Files.writeString(top.resolve("file"), name);
        return top;
    }
}
