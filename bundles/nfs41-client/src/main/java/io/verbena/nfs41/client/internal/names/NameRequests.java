package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.names.PathOperations.Place;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;

/** The requests that change names in directories whose handles are known. */
final class NameRequests {
    private NameRequests() {}

    /** A request on two file handles: the saved and the current one. */
    private abstract static class TwoHandles extends CompoundRequest<Void> {
        private final FileHandle saved;
        private final FileHandle current;

        TwoHandles(FileHandle saved, FileHandle current) {
            this.saved = saved;
            this.current = current;
        }

        abstract void encodeLast(XdrWriter out);

        abstract void decodeLast(Results results) throws IOException;

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(saved);
            SaveFh.encodeArgs(operations.next());
            operations.putFh(current);
            encodeLast(operations.next());
        }

        @Override
        public Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            results.next(Opcode.SAVEFH);
            results.next(Opcode.PUTFH);
            decodeLast(results);
            return null;
        }

        @Override
        public boolean isCached() {
            return true;
        }
    }

    static final class LinkRequest extends TwoHandles {
        private final String name;

        LinkRequest(FileHandle object, Place place) {
            super(object, place.directory());
            this.name = place.name();
        }

        @Override
        void encodeLast(XdrWriter out) {
            Link.encodeArgs(out, new Link.Args(name));
        }

        @Override
        void decodeLast(Results results) throws IOException {
            Link.decodeResult(results.next(Opcode.LINK));
        }
    }

    static final class RenameRequest extends TwoHandles {
        private final String from;
        private final String to;

        RenameRequest(Place source, Place target) {
            super(source.directory(), target.directory());
            this.from = source.name();
            this.to = target.name();
        }

        @Override
        void encodeLast(XdrWriter out) {
            Rename.encodeArgs(out, new Rename.Args(from, to));
        }

        @Override
        void decodeLast(Results results) throws IOException {
            Rename.decodeResult(results.next(Opcode.RENAME));
        }
    }

    static final class RemoveRequest extends CompoundRequest<Void> {
        private final Place place;

        RemoveRequest(Place place) {
            this.place = place;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(place.directory());
            Remove.encodeArgs(operations.next(), new Remove.Args(place.name()));
        }

        @Override
        public Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            Remove.decodeResult(results.next(Opcode.REMOVE));
            return null;
        }

        @Override
        public boolean isCached() {
            return true;
        }
    }
}
