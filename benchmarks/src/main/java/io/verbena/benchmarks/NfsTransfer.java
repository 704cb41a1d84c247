package io.verbena.benchmarks;

import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Repeated READs or WRITEs of one size on a file of a mounted export, several of them in flight. */
final class NfsTransfer implements Case {
    static final long FILE_SIZE = 64 << 20;

    private final boolean reads;
    private final int size;
    private final int outstanding;
    private final RemoteFile file;
    private final Outstanding calls;

    NfsTransfer(Mount mount, boolean reads, int size, int outstanding) throws IOException {
        this.reads = reads;
        this.size = size;
        this.outstanding = outstanding;
        file = mount.open(
                path(reads, size, outstanding),
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                0600);
        fill();
        ByteBuffer[] buffers = new ByteBuffer[outstanding];
        for (int i = 0; i < outstanding; i++) {
            buffers[i] = ByteBuffer.allocateDirect(size);
        }
        calls = new Outstanding((lane, number) -> transfer(buffers[lane].duplicate(), number));
    }

    /** The file of a case. */
    static String path(boolean reads, int size, int outstanding) {
        return String.format(Locale.ROOT, "/%s-%d-%d", reads ? "read" : "write", size, outstanding);
    }

    private void fill() throws IOException {
        ByteBuffer block = ByteBuffer.allocateDirect(1 << 20);
        for (long at = 0; at < FILE_SIZE; at += block.capacity()) {
            block.clear();
            file.write(block, at);
        }
        file.sync();
    }

    private CompletableFuture<?> transfer(ByteBuffer buffer, long number) {
        long position = number * size % FILE_SIZE;
        return reads ? file.readAsync(buffer, position) : file.writeAsync(buffer, position);
    }

    @Override
    public String name() {
        String unit = size >= 1 << 20 ? (size >> 20) + " MiB" : (size >> 10) + " KiB";
        return String.format(Locale.ROOT, "NFS %s %s x%d", reads ? "READ" : "WRITE", unit, outstanding);
    }

    @Override
    public boolean inOctets() {
        return true;
    }

    @Override
    public double run(Duration time) {
        return calls.run(outstanding, time) * size;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
