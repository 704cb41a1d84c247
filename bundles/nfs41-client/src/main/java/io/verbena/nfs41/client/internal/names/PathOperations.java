package io.verbena.nfs41.client.internal.names;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.DeviceNumbers;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FileSystemId;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.NVerify;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Verify;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** The path operations on names and attributes. */
public final class PathOperations {
    private PathOperations() {}

    /** GETATTR. */
    static PathOperation<Attributes> attributes(AttributeMask mask) {
        return tail((operations, name) -> operations.getAttr(mask), Results::getAttr);
    }

    /** An operation on the object of the name in the directory; a symbolic link is not followed. */
    public static <T> PathOperation<T> ofName(PathOperation<T> operation) {
        return new Behind<>(operation) {
            @Override
            void encodeFirst(CompoundWriter operations, String name) {
                Lookup.encodeArgs(operations.next(), new Lookup.Args(name));
            }

            @Override
            void decodeFirst(Results results) throws IOException {
                results.next(Opcode.LOOKUP);
            }
        };
    }

    /** An object, and its attributes. */
    record Described(FileHandle handle, Attributes attributes) {}

    static PathOperation<Described> handleAndAttributes(AttributeMask mask) {
        return tail(
                (operations, name) -> {
                    GetFh.encodeArgs(operations.next());
                    operations.getAttr(mask);
                },
                results -> new Described(results.getFh(), results.getAttr()));
    }

    /** SETATTR, and the attributes behind it. */
    public static PathOperation<Attributes> setAttributes(StateId stateId, Attributes changes) {
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

    /** As {@link #setAttributes}, of an object that is no symbolic link; NFS4ERR_SAME where it is one. */
    static PathOperation<Attributes> setAttributesUnlessLink(Attributes changes) {
        Attributes link =
                Attributes.builder().put(Attribute.TYPE, ObjectType.NF4LNK).build();
        return new Behind<>(setAttributes(StateId.ANONYMOUS, changes)) {
            @Override
            void encodeFirst(CompoundWriter operations, String name) {
                NVerify.encodeArgs(operations.next(), new NVerify.Args(link));
            }

            @Override
            void decodeFirst(Results results) throws IOException {
                results.next(Opcode.NVERIFY);
            }
        };
    }

    /**
     * An operation on the object that was seen, and on no other one: NFS4ERR_NOT_SAME of VERIFY where the path leads
     * elsewhere.
     *
     * @param seen the object, or null for whichever is there; a server that tells no fileid cannot be asked
     */
    public static <T> PathOperation<T> of(FileKey seen, PathOperation<T> operation) {
        if (seen == null || seen.fileId() == 0) {
            return operation;
        }
        Attributes identity = Attributes.builder()
                .put(Attribute.FSID, new FileSystemId(seen.fileSystemMajor(), seen.fileSystemMinor()))
                .put(Attribute.FILEID, seen.fileId())
                .build();
        return new Behind<>(operation) {
            @Override
            void encodeFirst(CompoundWriter operations, String name) {
                Verify.encodeArgs(operations.next(), new Verify.Args(identity));
            }

            @Override
            void decodeFirst(Results results) throws IOException {
                results.next(Opcode.VERIFY);
            }
        };
    }

    static PathOperation<FileHandle> handle() {
        return tail((operations, name) -> GetFh.encodeArgs(operations.next()), Results::getFh);
    }

    static PathOperation<Access.Result> access(int wanted) {
        return tail(
                (operations, name) -> Access.encodeArgs(operations.next(), new Access.Args(wanted)),
                results -> Access.decodeResult(results.next(Opcode.ACCESS)));
    }

    /** An object, and the user's access rights to it. */
    record Accessible(FileHandle handle, Access.Result access) {}

    static PathOperation<Accessible> handleAndAccess(int wanted) {
        return tail(
                (operations, name) -> {
                    GetFh.encodeArgs(operations.next());
                    Access.encodeArgs(operations.next(), new Access.Args(wanted));
                },
                results -> new Accessible(results.getFh(), Access.decodeResult(results.next(Opcode.ACCESS))));
    }

    static PathOperation<Void> createDirectory(int mode) {
        return create(name -> Create.directory(name, FileAttributesCodec.mode(mode)));
    }

    static PathOperation<Void> createSymbolicLink(String target) {
        return create(name -> Create.symbolicLink(name, target, FileAttributesCodec.mode(0777)));
    }

    static PathOperation<Void> createSpecial(ObjectType type, int mode, DeviceNumbers device) {
        return create(name -> new Create.Args(type, null, device, name, FileAttributesCodec.mode(mode)));
    }

    private static PathOperation<Void> create(Function<String, Create.Args> args) {
        return cached((operations, name) -> Create.encodeArgs(operations.next(), args.apply(name)), results -> {
            Create.decodeResult(results.next(Opcode.CREATE));
            return null;
        });
    }

    static PathOperation<Void> remove() {
        return cached((operations, name) -> Remove.encodeArgs(operations.next(), new Remove.Args(name)), results -> {
            Remove.decodeResult(results.next(Opcode.REMOVE));
            return null;
        });
    }

    /** RENAME of the name to another name in the same directory. */
    static PathOperation<Void> rename(String newName) {
        return cached(
                (operations, name) -> {
                    SaveFh.encodeArgs(operations.next());
                    Rename.encodeArgs(operations.next(), new Rename.Args(name, newName));
                },
                results -> {
                    results.next(Opcode.SAVEFH);
                    Rename.decodeResult(results.next(Opcode.RENAME));
                    return null;
                });
    }

    /** RENAME of the name to a name in another directory. */
    static PathOperation<Void> rename(Place target) {
        return cached(
                (operations, name) -> {
                    SaveFh.encodeArgs(operations.next());
                    operations.putFh(target.directory());
                    Rename.encodeArgs(operations.next(), new Rename.Args(name, target.name()));
                },
                results -> {
                    results.next(Opcode.SAVEFH);
                    results.next(Opcode.PUTFH);
                    Rename.decodeResult(results.next(Opcode.RENAME));
                    return null;
                });
    }

    /** The directory's handle, and the name in it. */
    static PathOperation<Place> place() {
        return new PathOperation<>() {
            private String last;

            @Override
            public void encode(CompoundWriter operations, String name) {
                last = name;
                GetFh.encodeArgs(operations.next());
            }

            @Override
            public Place decode(Results results) throws IOException {
                return new Place(results.getFh(), last);
            }
        };
    }

    /** As {@link #place}, with the object of that name. */
    static PathOperation<Named> named() {
        return new PathOperation<>() {
            private String last;

            @Override
            public void encode(CompoundWriter operations, String name) {
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

    /** A name in a directory, whether there is such an object or not. */
    record Place(FileHandle directory, String name) {}

    @FunctionalInterface
    private interface Encoder {
        void encode(CompoundWriter operations, String name);
    }

    @FunctionalInterface
    private interface Decoder<T> {
        T decode(Results results) throws IOException;
    }

    private static <T> PathOperation<T> tail(Encoder encoder, Decoder<T> decoder) {
        return new Made<>(encoder, decoder, false);
    }

    private static <T> PathOperation<T> cached(Encoder encoder, Decoder<T> decoder) {
        return new Made<>(encoder, decoder, true);
    }

    /** A path operation behind another operation of the COMPOUND, which ends the COMPOUND where it fails. */
    private abstract static class Behind<T> implements PathOperation<T> {
        private static final int OPCODE_AND_STATUS = 8;

        private final PathOperation<T> operation;

        Behind(PathOperation<T> operation) {
            this.operation = operation;
        }

        abstract void encodeFirst(CompoundWriter operations, String name);

        abstract void decodeFirst(Results results) throws IOException;

        @Override
        public void encode(CompoundWriter operations, String name) {
            encodeFirst(operations, name);
            operation.encode(operations, name);
        }

        @Override
        public T decode(Results results) throws IOException {
            decodeFirst(results);
            return operation.decode(results);
        }

        @Override
        public boolean isCached() {
            return operation.isCached();
        }

        @Override
        public BorrowingFuture<?> borrower() {
            return operation.borrower();
        }

        @Override
        public boolean leaveBuffer() {
            return operation.leaveBuffer();
        }

        @Override
        public ByteBuffer sink() {
            return operation.sink();
        }

        @Override
        public int transferOctets() {
            return operation.transferOctets();
        }

        @Override
        public Status withoutName() {
            return operation.withoutName();
        }

        @Override
        public int maxReplySize() {
            return operation.maxReplySize() + OPCODE_AND_STATUS;
        }
    }

    private record Made<T>(Encoder encoder, Decoder<T> decoder, boolean isCached) implements PathOperation<T> {
        @Override
        public void encode(CompoundWriter operations, String name) {
            encoder.encode(operations, name);
        }

        @Override
        public T decode(Results results) throws IOException {
            return decoder.decode(results);
        }
    }
}
