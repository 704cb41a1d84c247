package io.verbena.swap.probe.internal;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.spi.FileSystemProvider;
import java.util.List;
import java.util.stream.Stream;

/**
 * Exclusive creates, links, renames, listings and removes through java.nio. A program of java.nio notices nothing of a
 * replaced mount, so that each failure is one of the run.
 */
final class NioLoad extends Load {
    private static final byte[] CONTENT = {1, 2, 3};

    private final FileSystem files;
    private final Path directory;
    private int number;

    NioLoad(FileSystemProvider provider, String mountName, String directory) throws IOException {
        super("nio");
        files = provider.getFileSystem(URI.create("nfs+rdma:" + mountName));
        this.directory = Files.createDirectory(files.getPath(directory));
    }

    @Override
    void step() throws Exception {
        String name = "n" + number++;
        Path file = Files.write(directory.resolve(name), CONTENT, StandardOpenOption.CREATE_NEW);
        Path folder = Files.createDirectory(directory.resolve("d" + name));
        Path link = Files.createLink(folder.resolve("link"), file);
        Path moved = Files.move(file, folder.resolve("moved"));
        try (Stream<Path> listed = Files.list(folder)) {
            long count = listed.count();
            if (count != 2) {
                throw new IllegalStateException("in " + folder + " there are " + count + " files and not 2");
            }
        }
        for (Path each : List.of(link, moved, folder)) {
            Files.delete(each);
        }
    }

    /** Ends the use of the mount, which would keep the classes of a replaced client. */
    void close() throws IOException {
        files.close();
    }
}
