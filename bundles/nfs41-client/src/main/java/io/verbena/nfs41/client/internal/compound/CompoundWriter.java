package io.verbena.nfs41.client.internal.compound;

import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.PutFh;
import io.verbena.xdr.XdrWriter;

/** Writes the operations of a COMPOUND, counts them, and finds the operation that the COMPOUND is made for. */
public final class CompoundWriter {
    private XdrWriter out;
    private int countAt;
    private int count;
    private int lastAt;
    private int characteristic;
    private FileHandle object;

    public CompoundWriter begin(XdrWriter writer) {
        out = writer;
        count = 0;
        characteristic = Opcode.SEQUENCE;
        object = null;
        countAt = Compound.encodeArgs(writer, new Compound.Args("", Compound.MINOR_VERSION, 0));
        return this;
    }

    /** Begins the next operation and returns the writer for it. */
    public XdrWriter next() {
        weighLast();
        count++;
        lastAt = out.position();
        return out;
    }

    /** The opcode that the COMPOUND is made for: the first of the greatest weight. Valid after {@link #end}. */
    public int characteristic() {
        return characteristic;
    }

    private void weighLast() {
        if (count > 0) {
            int opcode = out.getInt(lastAt);
            characteristic = weight(opcode) > weight(characteristic) ? opcode : characteristic;
        }
    }

    private static int weight(int opcode) {
        return switch (opcode) {
            case Opcode.SEQUENCE -> 0;
            case Opcode.PUTFH, Opcode.PUTROOTFH, Opcode.SAVEFH, Opcode.RESTOREFH -> 1;
            case Opcode.GETFH -> 2;
            case Opcode.GETATTR -> 3;
            case Opcode.LOOKUP, Opcode.LOOKUPP -> 4;
            case Opcode.ACCESS -> 5;
            default -> 6;
        };
    }

    /** The last handle that a PUTFH names, or null. */
    public FileHandle object() {
        return object;
    }

    public void putFh(FileHandle handle) {
        object = handle;
        PutFh.encodeArgs(next(), new PutFh.Args(handle));
    }

    public void getAttr(AttributeMask mask) {
        GetAttr.encodeArgs(next(), new GetAttr.Args(mask));
    }

    public void end() {
        weighLast();
        out.setInt(countAt, count);
    }
}
