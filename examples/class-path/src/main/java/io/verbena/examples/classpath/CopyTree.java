package io.verbena.examples.classpath;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.stream.Stream;

/** Copies a tree of an NFS server, which is reached over RDMA, to a directory of this host. */
public final class CopyTree {
    private CopyTree() {}

    /**
     * @param args the URI of an export, as {@code nfs+rdma://storage.example.com/projects?rsize=1048576}, a path in it, and
     *     a directory of this host
     */
    public static void main(String[] args) throws IOException {
        if (args.length != 3) {
            System.err.println("usage: CopyTree nfs+rdma://SERVER[:PORT]/EXPORT[?OPTIONS] PATH DIRECTORY");
            System.exit(2);
        }
        try (FileSystem nfs = FileSystems.newFileSystem(URI.create(args[0]), Map.of())) {
            System.out.println(copy(nfs.getPath(args[1]), Path.of(args[2])) + " files and directories copied");
        }
    }

    static int copy(Path from, Path to) throws IOException {
        int count = 0;
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : (Iterable<Path>) paths::iterator) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(path, target, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
                }
                count++;
            }
        }
        return count;
    }
}
