package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Access;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import java.io.IOException;
import java.util.function.Function;

/** The tails of operations on names and attributes. */
final class Tails {
    private Tails() {}

    /** GETATTR. */
    static Tail<Attributes> attributes(AttributeMask mask) {
        return tail((operations, name) -> operations.getAttr(mask), Results::getAttr);
    }

    /** SETATTR, and the attributes behind it. */
    static Tail<Attributes> setAttributes(StateId stateId, Attributes changes) {
        return cached(
                (operations, name) -> {
                    SetAttr.encodeArgs(operations.next(), new SetAttr.Args(stateId, changes));
                    operations.getAttr(FileAttributesCodec.WANTED);
                },
                results -> {
                    Status status = results.status(Opcode.SETATTR);
                    SetAttr.decodeResult(results.body(), status);
                    if (!status.isOk()) {
                        throw results.failure(status, Opcode.SETATTR);
                    }
                    return results.getAttr();
                });
    }

    static Tail<FileHandle> handle() {
        return tail((operations, name) -> GetFh.encodeArgs(operations.next()), Results::getFh);
    }

    static Tail<Access.Result> access(int wanted) {
        return tail(
                (operations, name) -> Access.encodeArgs(operations.next(), new Access.Args(wanted)),
                results -> Access.decodeResult(results.next(Opcode.ACCESS)));
    }

    /** An object, and what the user may do with it. */
    record Accessible(FileHandle handle, Access.Result access) {}

    static Tail<Accessible> handleAndAccess(int wanted) {
        return tail(
                (operations, name) -> {
                    GetFh.encodeArgs(operations.next());
                    Access.encodeArgs(operations.next(), new Access.Args(wanted));
                },
                results -> new Accessible(results.getFh(), Access.decodeResult(results.next(Opcode.ACCESS))));
    }

    static Tail<Void> createDirectory(int mode) {
        return create(name -> Create.directory(name, FileAttributesCodec.mode(mode)));
    }

    static Tail<Void> createSymbolicLink(String target) {
        return create(name -> Create.symbolicLink(name, target, FileAttributesCodec.mode(0777)));
    }

    private static Tail<Void> create(Function<String, Create.Args> args) {
        return cached((operations, name) -> Create.encodeArgs(operations.next(), args.apply(name)), results -> {
            Create.decodeResult(results.next(Opcode.CREATE));
            return null;
        });
    }

    static Tail<Void> remove() {
        return cached((operations, name) -> Remove.encodeArgs(operations.next(), new Remove.Args(name)), results -> {
            Remove.decodeResult(results.next(Opcode.REMOVE));
            return null;
        });
    }

    /** The directory's handle, and the name in it. */
    static Tail<Place> place() {
        return new Tail<>() {
            private String last;

            @Override
            public void encode(Operations operations, String name) {
                last = name;
                GetFh.encodeArgs(operations.next());
            }

            @Override
            public Place decode(Results results) throws IOException {
                return new Place(results.getFh(), last);
            }
        };
    }

    /** As {@link #place}, and what has the name. */
    static Tail<Named> named() {
        return new Tail<>() {
            private String last;

            @Override
            public void encode(Operations operations, String name) {
                last = name;
                GetFh.encodeArgs(operations.next());
                Lookup.encodeArgs(operations.next(), new Lookup.Args(name));
                GetFh.encodeArgs(operations.next());
            }

            @Override
            public Named decode(Results results) throws IOException {
                Place place = new Place(results.getFh(), last);
                Status status = results.status(Opcode.LOOKUP);
                return new Named(place, status.isOk() ? results.getFh() : null);
            }
        };
    }

    /**
     * A name in a directory.
     *
     * @param handle null where no such object could be found
     */
    record Named(Place place, FileHandle handle) {}

    /** A name in a directory, be there such an object or not. */
    record Place(FileHandle directory, String name) {}

    @FunctionalInterface
    private interface Encoder {
        void encode(Operations operations, String name);
    }

    @FunctionalInterface
    private interface Decoder<T> {
        T decode(Results results) throws IOException;
    }

    private static <T> Tail<T> tail(Encoder encoder, Decoder<T> decoder) {
        return new Made<>(encoder, decoder, false);
    }

    private static <T> Tail<T> cached(Encoder encoder, Decoder<T> decoder) {
        return new Made<>(encoder, decoder, true);
    }

    private record Made<T>(Encoder encoder, Decoder<T> decoder, boolean isCached) implements Tail<T> {
        @Override
        public void encode(Operations operations, String name) {
            encoder.encode(operations, name);
        }

        @Override
        public T decode(Results results) throws IOException {
            return decoder.decode(results);
        }
    }
}
