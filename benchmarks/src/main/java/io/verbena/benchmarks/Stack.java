package io.verbena.benchmarks;

import io.verbena.nfs.Mount;
import io.verbena.rpc.RpcTransport;
import io.verbena.verbs.RdmaProvider;
import java.io.IOException;
import java.nio.file.Path;

/** Export and mount of a directory in this process, without OSGi. */
final class Stack implements AutoCloseable {
    private final ServedDirectory served;
    private final MountedExport mounted;

    Stack(Path directory) throws IOException {
        this(directory, true);
    }

    /** @param sync whether the export brings changes to stable storage before it answers */
    Stack(Path directory, boolean sync) throws IOException {
        served = new ServedDirectory(directory, sync);
        mounted = new MountedExport(served.address(), "");
    }

    RdmaProvider provider() {
        return mounted.provider();
    }

    RpcTransport transport() {
        return mounted.transport();
    }

    Mount mount() {
        return mounted.mount();
    }

    @Override
    public void close() throws IOException {
        mounted.close();
        served.close();
    }
}
