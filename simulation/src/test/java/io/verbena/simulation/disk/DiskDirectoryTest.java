package io.verbena.simulation.disk;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.DirectoryContract;
import java.time.Instant;

class DiskDirectoryTest extends DirectoryContract {
    @Override
    protected Directory openEmpty() {
        return new SimulatedDisk(() -> Instant.EPOCH).root();
    }
}
