package io.verbena.cli.internal.demo;

import io.verbena.cli.Text;
import io.verbena.cli.internal.ExportRequest;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.Locations;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.nfs.transfer.SummaryText;
import io.verbena.nfs.Export;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOptions;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.apache.karaf.shell.support.CommandException;

/** One run of the demonstration. Every step is printed, and undone at the end. */
final class Demo {
    private static final String LOOPBACK = "127.0.0.1";

    private final Exports exports;
    private final Mounts mounts;
    private final DemoFiles files;
    private final PrintStream out;
    private final String name =
            String.format("demo-%04x", ThreadLocalRandom.current().nextInt(1 << 16));

    Demo(Exports exports, Mounts mounts, DemoFiles files, PrintStream out) {
        this.files = files;
        this.exports = exports;
        this.mounts = mounts;
        this.out = out;
    }

    void run() throws IOException, InterruptedException, CommandException {
        Path top = Files.createTempDirectory("verbena-demo");
        try {
            Path served = Files.createDirectory(top.resolve("served"));
            // root counts as nobody, who has to be able to write; the directory above admits this process alone
            Files.setPosixFilePermissions(served, PosixFilePermissions.fromString("rwxrwxrwx"));
            Export export = exports.export(new ExportRequest(
                    name,
                    served,
                    LOOPBACK,
                    0,
                    false,
                    "root",
                    List.of(),
                    List.of(),
                    false,
                    true,
                    "auto",
                    true,
                    ExportRequest.Security.SYS));
            try {
                withExport(export, top);
            } finally {
                undo(() -> exports.unexport(name));
                say("unexported");
            }
        } finally {
            DemoFiles.delete(top);
            say("removed " + top);
        }
        out.println("demo: all files are the same at both ends");
    }

    private void withExport(Export export, Path top) throws IOException, InterruptedException, CommandException {
        InetSocketAddress address = export.localAddress()
                .orElseThrow(() -> new CommandException("the demonstration's export has no address"));
        say("exported " + export.directory() + " at " + LOOPBACK + ":" + address.getPort());
        MountOptions options = MountOptions.parse("proto=rdma,port=" + address.getPort());
        Mount mount = mounts.mount(name, LOOPBACK, "/", options);
        try {
            say("mounted " + mount.source() + " as " + name + " with " + options);
            say("settings: " + Text.pairs(mount.settings()));
            bigFile(top);
            tree(top);
        } finally {
            undo(() -> mounts.unmount(name));
            say("unmounted");
        }
    }

    private void bigFile(Path top) throws IOException, InterruptedException, CommandException {
        Path file = files.generate(top.resolve("big.bin"));
        say("generated a file of " + Files.size(file) + " octets");
        say("put " + copied(local(file), remote("big.bin"), CopyOptions.of()));
        Path back = top.resolve("big.back");
        say("got " + copied(remote("big.bin"), local(back), CopyOptions.of()));
        compare(digests(file), digests(top.resolve("served/big.bin")), "the server's directory");
        compare(digests(file), digests(back), "the copy that came back");
    }

    private void tree(Path top) throws IOException, InterruptedException, CommandException {
        Path tree = files.gather(Files.createDirectory(top.resolve("tree")));
        say("gathered a tree of files of this machine");
        say("put " + copied(local(tree), remote("tree"), CopyOptions.of(CopyOptions.Flag.RECURSIVE)));
        Path back = top.resolve("back");
        say("got " + copied(remote("tree"), local(back), CopyOptions.of(CopyOptions.Flag.RECURSIVE)));
        Map<String, String> expected = digests(tree);
        compare(expected, digests(top.resolve("served/tree")), "the server's directory");
        compare(expected, digests(back), "the copy that came back");
    }

    private void compare(Map<String, String> expected, Map<String, String> found, String where)
            throws CommandException {
        if (!found.keySet().equals(expected.keySet())) {
            throw new CommandException("the demonstration failed: " + where + " holds " + found.size()
                    + " files and not the " + expected.size() + " that were put");
        }
        for (Map.Entry<String, String> entry : expected.entrySet()) {
            if (!entry.getValue().equals(found.get(entry.getKey()))) {
                String file = entry.getKey().isEmpty() ? "the big file" : Text.printable(entry.getKey());
                throw new CommandException("the demonstration failed: " + file + " has another SHA-256 in " + where);
            }
        }
        int count = expected.size();
        say("SHA-256 of " + (count == 1 ? "1 file" : count + " files") + " is the same in " + where);
    }

    private String copied(Location from, Location to, CopyOptions options)
            throws IOException, InterruptedException, CommandException {
        return SummaryText.of(mounts.engine().copy(from, to, options).run().orThrow());
    }

    private Map<String, String> digests(Path top) throws IOException, InterruptedException, CommandException {
        return DemoFiles.digests(top, mounts.engine());
    }

    private static Location local(Path path) {
        return Location.of(path);
    }

    private Location remote(String path) throws CommandException {
        return Locations.remote(name + ":/" + path, mounts);
    }

    /** Undoes a step, even if the demonstration was interrupted. The interrupt status is then restored. */
    private static void undo(Undoing step) throws IOException, InterruptedException, CommandException {
        boolean interrupted = Thread.interrupted();
        try {
            step.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @FunctionalInterface
    private interface Undoing {
        void run() throws IOException, InterruptedException, CommandException;
    }

    private void say(String step) {
        out.println("demo: " + step);
        out.flush();
    }
}
