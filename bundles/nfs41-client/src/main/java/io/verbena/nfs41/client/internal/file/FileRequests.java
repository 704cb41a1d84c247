package io.verbena.nfs41.client.internal.file;

import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.names.FileAttributesCodec;
import io.verbena.nfs41.client.internal.names.PathOperations;
import io.verbena.nfs41.client.internal.state.OpenState;
import java.io.IOException;

/** The requests about an open file that are neither READ nor WRITE, nor about locks. */
final class FileRequests {
    private FileRequests() {}

    static final class GetAttributes extends CompoundRequest<Attributes> {
        private final OpenState state;

        GetAttributes(OpenState state) {
            this.state = state;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(state.handle());
            operations.getAttr(FileAttributesCodec.WANTED);
        }

        @Override
        public Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return results.getAttr();
        }
    }

    static final class SetAttributes extends CompoundRequest<Attributes> {
        private final OpenState state;
        private final Attributes changes;

        SetAttributes(OpenState state, Attributes changes) {
            this.state = state;
            this.changes = changes;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(state.handle());
            PathOperations.setAttributes(state.ioStateId(), changes).encode(operations, null);
        }

        @Override
        public Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return PathOperations.setAttributes(StateId.ANONYMOUS, changes).decode(results);
        }

        @Override
        public boolean isCached() {
            return true;
        }
    }

    static final class CloseFile extends CompoundRequest<Void> {
        private final OpenState state;

        CloseFile(OpenState state) {
            this.state = state;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(state.handle());
            Close.encodeArgs(
                    operations.next(), new Close.Args(0, state.openStateId().withoutSeqid()));
        }

        @Override
        public Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            Close.decodeResult(results.next(Opcode.CLOSE));
            return null;
        }

        @Override
        public boolean isCached() {
            return true;
        }
    }
}
