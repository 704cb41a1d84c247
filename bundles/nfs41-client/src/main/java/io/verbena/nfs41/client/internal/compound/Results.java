package io.verbena.nfs41.client.internal.compound;

import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Compound;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import java.io.IOException;

/** Reads the results of a COMPOUND in order. */
public final class Results {
    private XdrReader in;
    private int index;
    private int count;
    private Status overall;

    public Results begin(XdrReader reader) throws XdrException {
        Compound.Result head = Compound.decodeResult(reader);
        in = reader;
        index = -1;
        count = head.operations();
        overall = head.status();
        return this;
    }

    /** The status of the next operation. Its body, where it has one, is read from {@link #body}. */
    public Status status(int opcode) throws IOException {
        index++;
        if (index >= count) {
            if (overall.isOk()) {
                throw new XdrException("no result of " + Opcode.name(opcode), in.position());
            }
            throw new StatusException(overall, opcode);
        }
        return Compound.decodeStatus(in, opcode);
    }

    /** The number of results. */
    public int count() {
        return count;
    }

    /** The reader, before the body of the operation whose status was read last. */
    public XdrReader body() {
        return in;
    }

    /**
     * The reader, before the body of the next operation.
     *
     * @throws StatusException where the operation failed
     */
    public XdrReader next(int opcode) throws IOException {
        Status status = status(opcode);
        if (!status.isOk()) {
            throw new StatusException(status, opcode);
        }
        return in;
    }

    public StatusException failure(Status status, int opcode) {
        return new StatusException(status, opcode);
    }

    public Attributes getAttr() throws IOException {
        return GetAttr.decodeResult(next(Opcode.GETATTR)).attributes();
    }

    public FileHandle getFh() throws IOException {
        return GetFh.decodeResult(next(Opcode.GETFH)).object();
    }
}
