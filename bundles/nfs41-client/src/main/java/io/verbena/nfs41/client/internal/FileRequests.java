package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import java.io.IOException;

/** The requests about an open file that are neither READ nor WRITE, nor about locks. */
final class FileRequests {
    private FileRequests() {}

    static final class GetAttributes extends Request<Attributes> {
        private final OpenState state;

        GetAttributes(OpenState state) {
            this.state = state;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle());
            operations.getAttr(FileAttributesCodec.WANTED);
        }

        @Override
        Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return results.getAttr();
        }
    }

    static final class SetAttributes extends Request<Attributes> {
        private final OpenState state;
        private final Attributes changes;

        SetAttributes(OpenState state, Attributes changes) {
            this.state = state;
            this.changes = changes;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle());
            Tails.setAttributes(state.ioStateId(), changes).encode(operations, null);
        }

        @Override
        Attributes decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            return Tails.setAttributes(StateId.ANONYMOUS, changes).decode(results);
        }

        @Override
        boolean isCached() {
            return true;
        }
    }

    static final class CloseFile extends Request<Void> {
        private final OpenState state;

        CloseFile(OpenState state) {
            this.state = state;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(state.handle());
            Close.encodeArgs(
                    operations.next(), new Close.Args(0, state.openStateId().withoutSeqid()));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            Close.decodeResult(results.next(Opcode.CLOSE));
            return null;
        }

        @Override
        boolean isCached() {
            return true;
        }
    }
}
