package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.FsLocations;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.PutRootFh;
import io.verbena.nfs41.SecInfo;
import io.verbena.nfs41.SecInfoNoName;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.LocateRequest;
import io.verbena.nfs41.client.internal.compound.MovedException;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.util.Blocking;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntUnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The root directory of the export, and the attributes of its file system. The client looks it up in each new session.
 * Thread safe.
 */
public final class ExportRoot {
    private static final Logger LOG = LoggerFactory.getLogger(ExportRoot.class);
    private static final AttributeMask WANTED = AttributeMask.of(
            Attribute.SUPPORTED_ATTRS,
            Attribute.TYPE,
            Attribute.LEASE_TIME,
            Attribute.FSID,
            Attribute.MAXREAD,
            Attribute.MAXWRITE,
            Attribute.SUPPATTR_EXCLCREAT,
            Attribute.MAXFILESIZE,
            Attribute.MAXNAME);

    private static final int DEFAULT_LEASE_SECONDS = 30;

    private final MountSettings settings;
    private final IntUnaryOperator limit;
    private volatile Found present = new Found(null, Attributes.EMPTY);
    private volatile List<String> export;
    private volatile int rsize;
    private volatile int wsize;

    public ExportRoot(MountSettings settings) {
        this(settings, IntUnaryOperator.identity());
    }

    /** @param limit what the path to the server carries of a size that was negotiated */
    public ExportRoot(MountSettings settings, IntUnaryOperator limit) {
        this.settings = settings;
        this.limit = limit;
        export = settings.export();
        rsize = settings.rsize();
        wsize = settings.wsize();
    }

    /** Looks up the export and limits the transfer sizes to what the server and the session allow. Blocks. */
    void find(CompoundCaller caller, Session session) throws IOException {
        Find find = new Find();
        try {
            Found found = Blocking.await(caller.runtime(), caller.call(find, session));
            if (!take(found)) {
                LOG.warn(
                        "mount {}: {} leads to file system {} now, not to {}, which is mounted: requests go on to the"
                                + " latter; remount to use what is there now",
                        settings.name(),
                        settings.source(),
                        found.attributes.get(Attribute.FSID, null),
                        present.attributes.get(Attribute.FSID, null));
            }
        } catch (StatusException e) {
            throw switch (e.status()) {
                case NFS4ERR_WRONGSEC -> new WrongSecurityException(offered(caller, session, e, find));
                case NFS4ERR_MOVED -> moved(caller, session, e, find);
                default -> e;
            };
        }
        ChannelAttributes limits = session.limits();
        rsize = clip(settings.rsize(), Attribute.MAXREAD, limits.maxResponseSize());
        wsize = clip(settings.wsize(), Attribute.MAXWRITE, limits.maxRequestSize());
    }

    /** As {@link #find} in the present session, where the server no longer knows the file handle. */
    public CompletableFuture<Void> findAgain(CompoundCaller caller) {
        return caller.call(new Find()).thenAccept(found -> {
            if (!take(found)) {
                throw new CompletionException(new StatusException(Status.NFS4ERR_STALE, Opcode.PUTFH));
            }
        });
    }

    /**
     * Takes the found root, unless its file system is another one than before. Where a server withdraws an export, the
     * path leads to the directory below the mount point of the export; the client must not write there.
     */
    private synchronized boolean take(Found found) {
        Object before = present.attributes.get(Attribute.FSID, null);
        if (before != null && !before.equals(found.attributes.get(Attribute.FSID, null))) {
            return false;
        }
        present = found;
        return true;
    }

    private int clip(int wanted, Attribute<Long> attribute, int message) throws IOException {
        long server = present.attributes.get(attribute, Long.MAX_VALUE);
        long room = Integer.toUnsignedLong(message) - MountSettings.DATA_OVERHEAD;
        long size = Math.min(wanted, Math.min(server <= 0 ? Long.MAX_VALUE : server, room));
        if (size < 512) {
            throw new PeerProtocolException(
                    "the server leaves only " + size + " octets for data in a message of the session", null);
        }
        return (int) size;
    }

    /** Asks what security the server takes for the part of the path that it refuses. */
    private static List<SecurityFlavor> offered(
            CompoundCaller caller, Session session, StatusException answer, Find find) throws IOException {
        AskSecurity ofRoot = new AskSecurity(List.of(), 0);
        if (answer.opcode() == Opcode.PUTROOTFH) {
            return Blocking.await(caller.runtime(), caller.call(ofRoot, session));
        }
        try {
            return Blocking.await(caller.runtime(), caller.call(new AskSecurity(find.path, find.reached), session));
        } catch (StatusException e) {
            if (e.status() != Status.NFS4ERR_WRONGSEC) {
                throw e;
            }
            return Blocking.await(caller.runtime(), caller.call(ofRoot, session)); // on the way there
        }
    }

    /** Asks for the location of the part of the path that has moved. */
    private MovedException moved(CompoundCaller caller, Session session, StatusException answer, Find find)
            throws IOException {
        try {
            FsLocations locations = Blocking.await(
                    caller.runtime(), caller.call(LocateRequest.of(find.path.subList(0, find.reached)), session));
            return new MovedException(answer.opcode(), locations, "");
        } catch (StatusException e) {
            LOG.debug("mount {}: where it has moved to is not known: {}", settings.name(), e.getMessage());
            return new MovedException(answer.opcode(), null, "");
        }
    }

    /** The path of the export on the server that the mount is connected to. */
    public List<String> export() {
        return export;
    }

    /** Sets the path of the export on another server. */
    void redirect(List<String> path) {
        export = List.copyOf(path);
    }

    /** The steps from the server's root, for steps from the export. */
    public List<String> path(List<String> steps) {
        List<String> all = new ArrayList<>(export);
        all.addAll(steps);
        return all;
    }

    public FileHandle handle() {
        return present.handle;
    }

    /** The most octets of a READ. */
    public int rsize() {
        return limit.applyAsInt(rsize);
    }

    /** The most octets of a WRITE. */
    public int wsize() {
        return limit.applyAsInt(wsize);
    }

    public int leaseSeconds() {
        int seconds = present.attributes.get(Attribute.LEASE_TIME, DEFAULT_LEASE_SECONDS);
        return seconds <= 0 ? DEFAULT_LEASE_SECONDS : seconds;
    }

    /** The attributes that can be set while a file is created exclusively. */
    public AttributeMask exclusiveCreateAttributes() {
        return present.attributes.get(Attribute.SUPPATTR_EXCLCREAT, AttributeMask.EMPTY);
    }

    public boolean supports(Attribute<?> attribute) {
        return present.attributes
                .get(Attribute.SUPPORTED_ATTRS, AttributeMask.EMPTY)
                .contains(attribute);
    }

    private record Found(FileHandle handle, Attributes attributes) {}

    private final class Find extends CompoundRequest<Found> {
        private final List<String> path = export;
        /** How many steps of the path the server has looked up; set before the future completes. */
        private int reached;

        @Override
        public void encode(CompoundWriter operations) {
            PutRootFh.encodeArgs(operations.next());
            path.forEach(name -> Lookup.encodeArgs(operations.next(), new Lookup.Args(name)));
            GetFh.encodeArgs(operations.next());
            operations.getAttr(WANTED);
        }

        @Override
        public Found decode(Results results) throws IOException {
            results.next(Opcode.PUTROOTFH);
            for (reached = 0; reached < path.size(); reached++) {
                results.next(Opcode.LOOKUP);
            }
            Found found = new Found(results.getFh(), results.getAttr());
            // LOOKUP finds files too, and a path below an export may lead to one
            if (found.attributes.get(Attribute.TYPE, ObjectType.NF4DIR) != ObjectType.NF4DIR) {
                throw new StatusException(Status.NFS4ERR_NOTDIR, Opcode.LOOKUP);
            }
            return found;
        }
    }

    /** The security of one step of a path, or of the root. */
    private static final class AskSecurity extends CompoundRequest<List<SecurityFlavor>> {
        private final List<String> before;
        private final String name;

        AskSecurity(List<String> path, int reached) {
            boolean isWhole = reached >= path.size();
            before = isWhole ? path : path.subList(0, reached);
            name = isWhole ? null : path.get(reached);
        }

        @Override
        public void encode(CompoundWriter operations) {
            PutRootFh.encodeArgs(operations.next());
            before.forEach(step -> Lookup.encodeArgs(operations.next(), new Lookup.Args(step)));
            if (name == null) {
                SecInfoNoName.encodeArgs(operations.next(), new SecInfoNoName.Args(SecInfoNoName.Style.CURRENT_FH));
            } else {
                SecInfo.encodeArgs(operations.next(), new SecInfo.Args(name));
            }
        }

        @Override
        public List<SecurityFlavor> decode(Results results) throws IOException {
            results.next(Opcode.PUTROOTFH);
            for (int i = 0; i < before.size(); i++) {
                results.next(Opcode.LOOKUP);
            }
            return name == null
                    ? SecInfoNoName.decodeResult(results.next(Opcode.SECINFO_NO_NAME))
                            .flavors()
                    : SecInfo.decodeResult(results.next(Opcode.SECINFO)).flavors();
        }
    }
}
