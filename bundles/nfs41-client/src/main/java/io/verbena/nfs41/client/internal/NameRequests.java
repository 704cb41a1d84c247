package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.client.internal.Tails.Place;
import java.io.IOException;

/** The requests that change names in directories whose handles are known. */
final class NameRequests {
    private NameRequests() {}

    static final class LinkRequest extends Request<Void> {
        private final FileHandle object;
        private final Place place;

        LinkRequest(FileHandle object, Place place) {
            this.object = object;
            this.place = place;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(object);
            SaveFh.encodeArgs(operations.next());
            operations.putFh(place.directory());
            Link.encodeArgs(operations.next(), new Link.Args(place.name()));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            results.next(Opcode.SAVEFH);
            results.next(Opcode.PUTFH);
            Link.decodeResult(results.next(Opcode.LINK));
            return null;
        }

        @Override
        boolean isCached() {
            return true;
        }
    }

    static final class RenameRequest extends Request<Void> {
        private final Place source;
        private final Place target;

        RenameRequest(Place source, Place target) {
            this.source = source;
            this.target = target;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(source.directory());
            SaveFh.encodeArgs(operations.next());
            operations.putFh(target.directory());
            Rename.encodeArgs(operations.next(), new Rename.Args(source.name(), target.name()));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            results.next(Opcode.SAVEFH);
            results.next(Opcode.PUTFH);
            Rename.decodeResult(results.next(Opcode.RENAME));
            return null;
        }

        @Override
        boolean isCached() {
            return true;
        }
    }

    static final class RemoveRequest extends Request<Void> {
        private final Place place;

        RemoveRequest(Place place) {
            this.place = place;
        }

        @Override
        void encode(Operations operations) {
            operations.putFh(place.directory());
            Remove.encodeArgs(operations.next(), new Remove.Args(place.name()));
        }

        @Override
        Void decode(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            Remove.decodeResult(results.next(Opcode.REMOVE));
            return null;
        }

        @Override
        boolean isCached() {
            return true;
        }
    }
}
