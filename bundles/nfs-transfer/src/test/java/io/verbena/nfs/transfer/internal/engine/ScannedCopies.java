package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.nio.file.Path;
import java.util.List;

/** The program that {@link PathScanTest} traces: copies of all kinds from and to the directories that it is given. */
public final class ScannedCopies {
    private ScannedCopies() {}

    /**
     * Copies.
     *
     * @param arguments the directory that the mount shows, a source and a target of this host
     */
    public static void main(String[] arguments) throws Exception {
        Location source = Location.of(Path.of(arguments[1]));
        Location target = Location.of(Path.of(arguments[2]));
        CopyOptions all =
                CopyOptions.of(Flag.RECURSIVE, Flag.FORCE, Flag.PRESERVE, Flag.VERIFY, Flag.RESUME, Flag.HARD_LINKS);
        CopyOptions mirror = CopyOptions.of(Flag.RECURSIVE, Flag.SYNC, Flag.DELETE, Flag.CHECKSUM, Flag.FORCE);
        DirectoryMount mount = new DirectoryMount("a", Path.of(arguments[0]));
        try (TransferEngine engine = new TransferEngine()) {
            Location served = Location.of(mount, "/tree");
            engine.copy(List.of(source), served, all).run().orThrow();
            engine.copy(List.of(served), target, mirror).run().orThrow();
            engine.copy(List.of(served.contents()), target, all).run().orThrow();
            engine.copy(List.of(source), target, mirror).run().orThrow();
        } finally {
            mount.close();
        }
    }
}
