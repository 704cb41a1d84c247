package io.verbena.nfs41.client.internal;

import io.verbena.nfs.MountOption;
import io.verbena.nfs.NfsException;
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
import io.verbena.nfs41.SecInfoNoName;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.Status;
import io.verbena.rpc.PeerProtocolException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The export's root directory on the server, and what the server says of its file system. */
final class Root {
    private static final Logger LOG = LoggerFactory.getLogger(Root.class);
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
    private volatile Found present = new Found(null, Attributes.EMPTY);
    private volatile List<String> export;
    private volatile int rsize;
    private volatile int wsize;

    Root(MountSettings settings) {
        this.settings = settings;
        export = settings.export();
        rsize = settings.rsize();
        wsize = settings.wsize();
    }

    /** Looks the export up and clips the transfer sizes to what the server and the session allow. Blocks. */
    void find(Requester requester, Session session) throws IOException {
        Find find = new Find();
        try {
            Found found = Blocking.await(requester.call(find, session));
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
                case NFS4ERR_WRONGSEC -> wrongSecurity(requester, session);
                case NFS4ERR_MOVED -> moved(requester, session, e, find);
                default -> e;
            };
        }
        ChannelAttributes limits = session.limits();
        rsize = clip(settings.rsize(), Attribute.MAXREAD, limits.maxResponseSize());
        wsize = clip(settings.wsize(), Attribute.MAXWRITE, limits.maxRequestSize());
    }

    /** As {@link #find} in whatever session there is, where the server does not know the handle any more. */
    CompletableFuture<Void> findAgain(Requester requester) {
        return requester.call(new Find()).thenAccept(found -> {
            if (!take(found)) {
                throw new CompletionException(new StatusException(Status.NFS4ERR_STALE, Opcode.PUTFH));
            }
        });
    }

    /**
     * Takes what was found, but for another file system than before: where an export was withdrawn, what its path leads
     * to then is the directory that it covered, and who has it mounted must not write to that.
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

    private IOException wrongSecurity(Requester requester, Session session) throws IOException {
        List<SecurityFlavor> flavors = Blocking.await(requester.call(new AskSecurity(), session));
        List<String> names = flavors.stream()
                .map(flavor -> switch (flavor.flavor()) {
                    case SecurityFlavor.AUTH_NONE -> "none";
                    case SecurityFlavor.AUTH_SYS -> "sys";
                    case SecurityFlavor.RPCSEC_GSS -> "krb5";
                    default -> "flavor " + flavor.flavor();
                })
                .distinct()
                .toList();
        return new NfsException(
                settings.source(),
                Status.NFS4ERR_WRONGSEC.name(),
                "the server does not take security 'sec=" + settings.options().get(MountOption.SEC)
                        + "' here: it takes " + (names.isEmpty() ? "none that it tells" : String.join(", ", names)));
    }

    /** Asks where the part of the path is that the server has no more than a stub of. */
    private MovedException moved(Requester requester, Session session, StatusException answer, Find find)
            throws IOException {
        try {
            FsLocations locations =
                    Blocking.await(requester.call(LocateRequest.of(find.path.subList(0, find.reached)), session));
            return new MovedException(answer.opcode(), locations, "");
        } catch (StatusException e) {
            LOG.debug("mount {}: where it has moved to is not known: {}", settings.name(), e.getMessage());
            return new MovedException(answer.opcode(), null, "");
        }
    }

    /** The path of the export on the server that the mount is connected to. */
    List<String> export() {
        return export;
    }

    /** The export is somewhere else, or was. */
    void redirect(List<String> path) {
        export = List.copyOf(path);
    }

    /** Steps from the export, as those from the server's root. */
    List<String> path(List<String> steps) {
        List<String> all = new ArrayList<>(export);
        all.addAll(steps);
        return all;
    }

    FileHandle handle() {
        return present.handle;
    }

    /** The most octets of a READ. */
    int rsize() {
        return rsize;
    }

    /** The most octets of a WRITE. */
    int wsize() {
        return wsize;
    }

    int leaseSeconds() {
        int seconds = present.attributes.get(Attribute.LEASE_TIME, DEFAULT_LEASE_SECONDS);
        return seconds <= 0 ? DEFAULT_LEASE_SECONDS : seconds;
    }

    /** The attributes that can be set while a file is created exclusively. */
    AttributeMask exclusiveCreateAttributes() {
        return present.attributes.get(Attribute.SUPPATTR_EXCLCREAT, AttributeMask.EMPTY);
    }

    boolean supports(Attribute<?> attribute) {
        return present.attributes
                .get(Attribute.SUPPORTED_ATTRS, AttributeMask.EMPTY)
                .contains(attribute);
    }

    private record Found(FileHandle handle, Attributes attributes) {}

    private final class Find extends Request<Found> {
        private final List<String> path = export;
        /** The steps of the path that the server went; set before the answer is handed on. */
        private int reached;

        @Override
        void encode(Operations operations) {
            PutRootFh.encodeArgs(operations.next());
            path.forEach(name -> Lookup.encodeArgs(operations.next(), new Lookup.Args(name)));
            GetFh.encodeArgs(operations.next());
            operations.getAttr(WANTED);
        }

        @Override
        Found decode(Results results) throws IOException {
            results.next(Opcode.PUTROOTFH);
            for (reached = 0; reached < path.size(); reached++) {
                results.next(Opcode.LOOKUP);
            }
            Found found = new Found(results.getFh(), results.getAttr());
            // LOOKUP finds files too, and a server exports what lies below an export
            if (found.attributes.get(Attribute.TYPE, ObjectType.NF4DIR) != ObjectType.NF4DIR) {
                throw new StatusException(Status.NFS4ERR_NOTDIR, Opcode.LOOKUP);
            }
            return found;
        }
    }

    private static final class AskSecurity extends Request<List<SecurityFlavor>> {
        @Override
        void encode(Operations operations) {
            PutRootFh.encodeArgs(operations.next());
            SecInfoNoName.encodeArgs(operations.next(), new SecInfoNoName.Args(SecInfoNoName.Style.CURRENT_FH));
        }

        @Override
        List<SecurityFlavor> decode(Results results) throws IOException {
            results.next(Opcode.PUTROOTFH);
            return SecInfoNoName.decodeResult(results.next(Opcode.SECINFO_NO_NAME))
                    .flavors();
        }
    }
}
