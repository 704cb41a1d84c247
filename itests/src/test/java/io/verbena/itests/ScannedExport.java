package io.verbena.itests;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.RpcListener;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Set;

/** The program that {@link ExportScanTest} traces: a server of a directory, and a client that uses all of it. */
public final class ScannedExport {
    private static final int DIRECTORIES = 4;

    private ScannedExport() {}

    /**
     * Serves and works.
     *
     * @param arguments the directory to export, and the directory of the server's state
     */
    public static void main(String[] arguments) throws Exception {
        Squash nobody = new Squash(Squash.Mode.NONE, Squash.NOBODY, Squash.NOBODY);
        ExportSettings settings =
                ExportSettings.of("scanned", Path.of(arguments[0])).withSquash(nobody);
        try (VerbenaStack stack = new VerbenaStack();
                NfsServer server = new NfsServer(settings, Path.of(arguments[1]), new SystemRuntime());
                RpcListener listener = stack.serve(server, 0);
                NfsMount mount = stack.mount(listener.localAddress(), "/", "")) {
            for (int i = 0; i < DIRECTORIES; i++) {
                work(mount, "/top" + i);
            }
        }
    }

    private static void work(NfsMount mount, String top) throws IOException {
        mount.createDirectory(top, 0_755);
        mount.createDirectory(top + "/a", 0_755);
        mount.createDirectory(top + "/a/b", 0_755);
        String path = top + "/a/b/file";
        ByteBuffer block = ByteBuffer.allocate(10_000);
        try (RemoteFile file =
                mount.open(path, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), 0_644)) {
            file.write(block, 0);
        }
        try (RemoteFile file = mount.open(path, Set.of(StandardOpenOption.READ), 0)) {
            file.read(block.clear(), 0);
        }
        mount.createLink(top + "/a/hard", path);
        mount.createSymbolicLink(top + "/a/b/link", "../b/file");
        mount.readLink(top + "/a/b/link");
        mount.attributes(path, false);
        Instant time = Instant.parse("2021-03-04T05:06:07Z");
        mount.setAttributes(path, AttributeChanges.NONE.withMode(0_600).withTimes(time, time), false);
        mount.setAttributes(top + "/a/b", AttributeChanges.NONE.withMode(0_700), false);
        mount.list(top + "/a/b");
        mount.fileSystemStatus(top);
        mount.rename(path, top + "/moved");
        mount.rename(top + "/a/b", top + "/c");
        mount.remove(top + "/c/link");
        mount.remove(top + "/c");
        mount.remove(top + "/moved");
    }
}
