package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.PutFh;
import io.verbena.xdr.XdrWriter;

/** Counts the operations of a COMPOUND while they are written. */
final class Operations {
    private XdrWriter out;
    private int countAt;
    private int count;

    Operations begin(XdrWriter writer) {
        out = writer;
        count = 0;
        countAt = Compound.encodeArgs(writer, new Compound.Args("", Compound.MINOR_VERSION, 0));
        return this;
    }

    /** Where the next operation goes. */
    XdrWriter next() {
        count++;
        return out;
    }

    void putFh(FileHandle handle) {
        PutFh.encodeArgs(next(), new PutFh.Args(handle));
    }

    void getAttr(AttributeMask mask) {
        GetAttr.encodeArgs(next(), new GetAttr.Args(mask));
    }

    void end() {
        out.setInt(countAt, count);
    }
}
