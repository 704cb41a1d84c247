package io.verbena.examples.classpath;

import io.verbena.nfs.ClosableMount;
import io.verbena.nfs.MountFactory;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.transfer.Copy;
import io.verbena.nfs.transfer.CopyEngine;
import io.verbena.nfs.transfer.CopyListener;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.Progress;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ServiceLoader;

/**
 * Copies a tree of an NFS server over RDMA to a directory of this host. The program copies several files at a time, and
 * compares each copy with the file on the server. After an interruption, the same command continues the copy.
 */
public final class CopyTree {
    private CopyTree() {}

    /**
     * Copies the tree.
     *
     * @param args a server, the path of an export of the server, mount options like {@code port=20049,rsize=1048576}, a
     *     path in the export, and a directory of this host
     */
    public static void main(String[] args) throws IOException, InterruptedException {
        if (args.length != 5) {
            System.err.println("usage: CopyTree SERVER EXPORT OPTIONS PATH DIRECTORY");
            System.exit(2);
        }
        CopySummary summary = copy(args[0], args[1], args[2], args[3], Path.of(args[4]));
        System.out.printf("%d files, %d octets%n", summary.files(), summary.octets());
        summary.failed().forEach(failure -> System.err.println(failure.path() + ": " + failure.reason()));
    }

    static CopySummary copy(String server, String export, String options, String path, Path directory)
            throws IOException, InterruptedException {
        MountFactory mounts = ServiceLoader.load(MountFactory.class).findFirst().orElseThrow();
        CopyEngine engine = ServiceLoader.load(CopyEngine.class).findFirst().orElseThrow();
        try (ClosableMount mount = mounts.mount("storage", server, export, MountOptions.parse(options))) {
            Copy copy = engine.copy(
                    Location.of(mount, path).contents(),
                    Location.of(directory),
                    CopyOptions.of(Flag.RECURSIVE, Flag.RESUME, Flag.VERIFY));
            copy.addListener(new CopyListener() {
                @Override
                public void progressed(Progress progress) {
                    System.out.printf("%d of %d files%n", progress.files(), progress.plannedFiles());
                }
            });
            return copy.run();
        }
    }
}
