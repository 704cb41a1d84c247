package io.verbena.nfs.transfer.internal.file;

import io.verbena.nfs.transfer.internal.block.BlockObserver;
import io.verbena.nfs.transfer.internal.block.FileUnits;
import io.verbena.nfs.transfer.internal.block.RangeDigest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;

/** Notes the digest of each unit in the journal once the unit is in the sink. Belongs to the thread of a pump. */
final class NotingFlow implements BlockObserver {
    private record Unit(long start, long end, String digest) {}

    private final BlockObserver flow;
    private final Journal journal;
    private final FileUnits.Digester digester;
    private final Deque<Unit> read = new ArrayDeque<>();

    /**
     * Creates an observer.
     *
     * @param start the position of the first octet that is moved, which is the start of a unit
     */
    NotingFlow(BlockObserver flow, Journal journal, FileUnits units, long start, RangeDigest digest) {
        this.flow = flow;
        this.journal = journal;
        this.digester = units.new Digester(start, digest, (from, to, value) -> read.add(new Unit(from, to, value)));
    }

    @Override
    public void beforeRead(int octets) throws InterruptedException {
        flow.beforeRead(octets);
    }

    @Override
    public void beforeWrite(int octets) throws InterruptedException {
        flow.beforeWrite(octets);
    }

    @Override
    public void moved(ByteBuffer block) throws IOException {
        flow.moved(block);
        digester.update(block);
    }

    @Override
    public void safe(long position) throws IOException {
        flow.safe(position);
        while (!read.isEmpty() && read.element().end() <= position) {
            Unit unit = read.remove();
            journal.add(unit.start(), unit.end(), unit.digest());
        }
    }
}
