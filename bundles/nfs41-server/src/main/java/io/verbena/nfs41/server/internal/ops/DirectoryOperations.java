package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_ACCESS;
import static io.verbena.nfs41.Status.NFS4ERR_BADTYPE;
import static io.verbena.nfs41.Status.NFS4ERR_BAD_COOKIE;
import static io.verbena.nfs41.Status.NFS4ERR_DELAY;
import static io.verbena.nfs41.Status.NFS4ERR_GRACE;
import static io.verbena.nfs41.Status.NFS4ERR_NOTDIR;
import static io.verbena.nfs41.Status.NFS4ERR_TOOSMALL;
import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ChangeInfo;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeSettings;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.file.OpenFiles;
import io.verbena.nfs41.server.internal.session.GracePeriod;
import io.verbena.nfs41.server.internal.state.Delegations;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.DirectoryListings;
import io.verbena.nfs41.server.internal.vfs.DirectoryListings.Listing;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.FoundObject;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.RemovalGuard;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;

/** Operations on directories. */
final class DirectoryOperations {
    /** The octets at the end of {@code READDIR4resok}: no further entry, and eof. */
    private static final int END = 8;

    /** The octets of opcode and status, which maxcount does not count. */
    private static final int RESULT_HEAD = 8;

    /** The octets of an entry that dircount counts for its cookie and name, in addition to the octets of the name. */
    private static final int ENTRY_HEAD = 16;

    /** Writes the only attribute that an entry has without its object. */
    private static final Attributes.ValueWriter NO_ERROR =
            (attribute, out) -> Attribute.RDATTR_ERROR.encode(NFS4_OK, out);

    private final ExportTree tree;
    private final TreeChanges changes;
    private final OpenFiles files;
    private final DirectoryListings listings;
    private final AttributeMapper mapper;
    private final Delegations delegations;
    private final GracePeriod gracePeriod;

    DirectoryOperations(
            ExportTree tree,
            TreeChanges changes,
            OpenFiles files,
            DirectoryListings listings,
            AttributeMapper mapper,
            Delegations delegations,
            GracePeriod gracePeriod) {
        this.tree = tree;
        this.changes = changes;
        this.files = files;
        this.listings = listings;
        this.mapper = mapper;
        this.delegations = delegations;
        this.gracePeriod = gracePeriod;
    }

    void addTo(OperationTable table) {
        table.add(Opcode.READDIR, this::readDirectory)
                .addChanging(Opcode.CREATE, this::create)
                .addChanging(Opcode.REMOVE, this::remove)
                .addChanging(Opcode.RENAME, this::rename)
                .addChanging(Opcode.LINK, this::link);
    }

    private Status readDirectory(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        ReadDir.Args args = ReadDir.decodeArgs(in);
        Inode directory = context.current();
        if (args.cookie() == 1 || args.cookie() == 2 || args.cookie() < 0) {
            throw new NfsError(NFS4ERR_BAD_COOKIE); // 1 and 2 are reserved; the server issues none beyond 2^63 - 1
        }
        AttributeMapper.requireReadable(args.request());
        UnixAttributes attributes = tree.attributes(directory);
        if (!attributes.isDirectory()) {
            throw new NfsError(NFS4ERR_NOTDIR);
        }
        if (!context.caller().may(attributes, Caller.READ)) {
            throw new NfsError(NFS4ERR_ACCESS);
        }
        boolean isQuick =
                mapper.needsNoName(args.request()) && listings.isKept(directory, args.cookieVerifier(), args.cookie());
        return context.here(isQuick, () -> writePage(context, args, directory, out));
    }

    private Status writePage(CompoundContext context, ReadDir.Args args, Inode directory, XdrWriter out)
            throws IOException {
        long room = context.session().fore().maxResponseSize() - out.fullSize() - RESULT_HEAD - END - 64;
        int limit = (int) Math.max(0, Math.min(room, Integer.toUnsignedLong(args.maxCount())));
        Page page = new Page(args, out, out.position() + RESULT_HEAD + limit - END);
        int begin = out.position();
        long cookie = args.cookie();
        boolean eof;
        boolean isUsedUp;
        do {
            Listing listing = listings.listing(directory, args.cookieVerifier(), cookie);
            out.truncate(begin);
            ReadDir.beginResult(out, listing.verifier());
            int index = listing.indexBehind(cookie);
            boolean isAtEnd = index == listing.size()
                    || listings.withEntries(directory, entries -> page.fill(listing, index, entries));
            eof = isAtEnd && listing.isComplete();
            isUsedUp = isAtEnd && !eof && page.entries == 0; // all entries of the listing have been removed
            cookie = listing.lastCookie();
        } while (isUsedUp);
        if (page.entries == 0 && !eof) {
            throw new NfsError(NFS4ERR_TOOSMALL);
        }
        ReadDir.endResult(out, eof);
        if (out.position() > page.end + END) {
            throw new NfsError(NFS4ERR_TOOSMALL);
        }
        context.changed();
        return NFS4_OK;
    }

    /** A page of READDIR while it is written. */
    private final class Page {
        private final XdrWriter out;
        private final AttributeMask request;
        private final int end;
        private long namesLeft;
        private int entries;

        Page(ReadDir.Args args, XdrWriter out, int end) {
            this.out = out;
            this.request = args.request();
            this.end = end;
            long names = Integer.toUnsignedLong(args.dirCount());
            this.namesLeft = names == 0 ? Long.MAX_VALUE : names;
        }

        /**
         * Writes entries while there is room.
         *
         * @return whether the page has reached the end of the listing
         */
        boolean fill(Listing listing, int from, DirectoryListings.EntryReader reader) throws IOException {
            for (int index = from; index < listing.size(); index++) {
                DirectoryListings.Name name = listing.get(index);
                int before = out.position();
                if (!write(reader, name)) {
                    continue;
                }
                if (out.position() > end || (namesLeft <= 0 && entries > 0)) {
                    out.truncate(before);
                    return false;
                }
                entries++;
                namesLeft -= ENTRY_HEAD + name.name().length();
            }
            return true;
        }

        /**
         * Writes an entry with its attributes. Where none of the object is requested, the object is not looked up. Then
         * an entry that has been removed since the directory was read is listed, as by readdir(3), and so is a mount
         * point of another file system, which LOOKUP refuses.
         *
         * @return false if the entry is left out
         * @throws IOException if the attributes cannot be read and the client has not requested RDATTR_ERROR: then the
         *     whole READDIR fails (RFC 8881 section 18.23.3)
         */
        private boolean write(DirectoryListings.EntryReader reader, DirectoryListings.Name name) throws IOException {
            if (AttributeMapper.needsNoObject(request)) {
                ReadDir.encodeEntry(out, name.cookie(), name.name(), request, NO_ERROR);
                return true;
            }
            try {
                FoundObject found = reader.read(name.name());
                if (found == null) {
                    return false;
                }
                AttributeMapper.Selected selected = mapper.read(request, found.inode(), found.attributes());
                ReadDir.encodeEntry(out, name.cookie(), name.name(), selected.mask(), selected);
                return true;
            } catch (IOException e) {
                if (request.contains(Attribute.RDATTR_ERROR)) {
                    Attributes error = AttributeMapper.error(IoErrors.status(e));
                    ReadDir.encodeEntry(out, new ReadDir.Entry(name.cookie(), name.name(), error));
                    return true;
                }
                if (e instanceof NfsError) {
                    return false; // another file system is mounted there, which is not exported
                }
                Status status = IoErrors.status(e);
                // any other status would say nothing about the directory
                throw status == NFS4ERR_ACCESS || status == NFS4ERR_DELAY
                        ? e
                        : new IOException("the attributes of an entry cannot be read", e);
            }
        }
    }

    private Status create(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Create.Args args = Create.decodeArgs(in);
        return context.here(mapper.isReady(args.attributes()), () -> create(context, args, out));
    }

    private Status create(CompoundContext context, Create.Args args, XdrWriter out) throws IOException {
        Inode directory = context.current();
        AttributeSettings settings = mapper.settings(args.attributes());
        TreeChanges.Changed made =
                switch (args.type()) {
                    case NF4DIR -> changes.createDirectory(directory, args.name(), settings, context.caller());
                    case NF4LNK ->
                        changes.createSymbolicLink(directory, args.name(), args.linkText(), settings, context.caller());
                    case NF4FIFO -> special(context, args, UnixAttributes.FIFO, settings);
                    case NF4SOCK -> special(context, args, UnixAttributes.SOCKET, settings);
                    case NF4CHR -> special(context, args, UnixAttributes.CHARACTER_DEVICE, settings);
                    case NF4BLK -> special(context, args, UnixAttributes.BLOCK_DEVICE, settings);
                    default -> throw new NfsError(NFS4ERR_BADTYPE); // RFC 8881 section 18.4.3
                };
        AttributeMask set = mapper.honoured(args.attributes(), made.object().attributes());
        return context.whenPersistent(
                () -> {
                    context.setCurrent(made.object());
                    Create.encodeResult(out, new Create.Result(made.change(), set));
                    return NFS4_OK;
                },
                directory,
                made.object().inode());
    }

    private TreeChanges.Changed special(CompoundContext context, Create.Args args, int type, AttributeSettings settings)
            throws IOException {
        long rdev = args.device() == null ? 0 : AttributeMapper.rdev(args.device());
        return changes.createSpecial(context.current(), args.name(), type, rdev, settings, context.caller());
    }

    private Status remove(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Remove.Args args = Remove.decodeArgs(in);
        Inode directory = context.current();
        requireNoGrace();
        ChangeInfo change = changes.remove(directory, args.target(), context.caller(), guard(context));
        context.changed();
        return context.whenPersistent(
                () -> {
                    Remove.encodeResult(out, new Remove.Result(change));
                    return NFS4_OK;
                },
                directory);
    }

    /** Refuses removals in the grace period: a client that has yet to reclaim its opens may have the file open. */
    private void requireNoGrace() throws NfsError {
        if (gracePeriod.inGrace()) {
            throw new NfsError(NFS4ERR_GRACE);
        }
    }

    /**
     * The guard of a removal. Delegations of other clients are recalled before the file loses a name, and clients that
     * have the file open keep it.
     */
    private RemovalGuard guard(CompoundContext context) {
        return (inode, change) -> delegations.changing(context.client(), inode, () -> {
            files.retain(inode);
            change.make();
        });
    }

    private Status rename(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Rename.Args args = Rename.decodeArgs(in);
        requireNoGrace();
        Inode from = context.saved();
        Inode to = context.current();
        ChangeInfo[] both = changes.rename(from, args.oldName(), to, args.newName(), context.caller(), guard(context));
        context.changed();
        // the new name first: if power is lost in between, the object has two names and not none
        return context.whenPersistent(
                () -> {
                    Rename.encodeResult(out, new Rename.Result(both[0], both[1]));
                    return NFS4_OK;
                },
                to,
                from);
    }

    private Status link(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        Link.Args args = Link.decodeArgs(in);
        Inode object = context.saved();
        Inode directory = context.current();
        ChangeInfo change = delegations.changing(
                context.client(), object, () -> changes.link(object, directory, args.newName(), context.caller()));
        context.changed();
        return context.whenPersistent(
                () -> {
                    Link.encodeResult(out, new Link.Result(change));
                    return NFS4_OK;
                },
                directory,
                object);
    }
}
