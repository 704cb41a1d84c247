package io.verbena.nfs41.client.internal.names;

import io.verbena.memory.BorrowingFuture;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.nfs41.client.internal.compound.LocateRequest;
import io.verbena.nfs41.client.internal.compound.MovedException;
import io.verbena.nfs41.client.internal.compound.RepeatedChangeException;
import io.verbena.nfs41.client.internal.compound.Results;
import io.verbena.nfs41.client.internal.compound.StatusException;
import io.verbena.nfs41.client.internal.session.CompoundCaller;
import io.verbena.nfs41.client.internal.session.ExportRoot;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.OperationWait;
import io.verbena.nfs41.client.internal.util.PathSteps;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Resolves one path, in one COMPOUND where the session's limits and symbolic links allow it: {@code PUTFH root,
 * LOOKUP..., GETATTR(type), path operation}. A symbolic link on the way is read and replaced by its text, and the walk
 * begins again. One step follows another; asynchronous.
 *
 * <p>Where the path ends with a dot, or has no name for a path operation on one, it leads to a directory. A request of
 * its own finds that out, so that the path operation does nothing to another object.
 */
public final class PathWalk<T> implements OperationWait.Step {
    /** How the last component is treated. */
    public enum Last {
        /** The walk ends at the object; a link there is followed. */
        FOLLOWED,
        /** The walk ends at the object, even if it is a link. */
        ITSELF,
        /** The walk ends at the directory and the tail gets the name; a link found there is followed. */
        NAMED_FOLLOWED,
        /** The walk ends at the directory and the tail gets the name. */
        NAMED;

        boolean isNamed() {
            return this == NAMED || this == NAMED_FOLLOWED;
        }
    }

    /** Opcode, status, length and at most 128 octets: NFS4_FHSIZE. */
    private static final int GETFH_RESULT = 12 + 128;

    private static final AttributeMask TYPE = AttributeMask.of(Attribute.TYPE);

    private final CompoundCaller caller;
    private final ExportRoot root;
    private final KnownDirectories known;
    private final Last last;
    private final PathOperation<T> tail;
    private final String path;
    private final CompletableFuture<T> result = new CompletableFuture<>();
    private List<String> steps;
    private int links;
    private boolean rootFoundAgain;
    /** Whether a dot follows the last step: that is followed, and has to be a directory. */
    private boolean isDotted;
    /** Whether a known directory has led elsewhere, so that the walk begins at the root. */
    private boolean isFromRoot;
    /** Whether the path operation may have been executed by a request that has failed. */
    private boolean mayBeDone;
    /** Where the walk begins below the root; else null. */
    private KnownDirectories.Directory start;
    /** When the walk begins, if it is to keep the handle of its directory; else null. */
    private KnownDirectories.Moment asked;

    /**
     * @param path as {@code NAME:/path}, for errors
     */
    PathWalk(
            CompoundCaller caller,
            ExportRoot root,
            KnownDirectories known,
            List<String> steps,
            Last last,
            PathOperation<T> tail,
            String path) {
        this.caller = caller;
        this.root = root;
        this.known = known;
        this.steps = PathSteps.contain(steps);
        this.last = last;
        this.tail = tail;
        this.path = path;
    }

    /** Before the start: the path ends with a dot. */
    void endWithDot() {
        isDotted = true;
    }

    CompletableFuture<T> start() {
        try {
            begin();
        } catch (Throwable e) {
            fail(e);
        }
        return result;
    }

    private void begin() {
        Session session = caller.sessions().present();
        if (session == null) {
            new OperationWait<PathWalk<?>>(this, tail.borrower()).until(caller.session(), PathWalk::inSession);
        } else {
            walk(session);
        }
    }

    private void inSession(Session made, Throwable thrown) {
        if (thrown == null) {
            walk(made);
        } else {
            fail(thrown);
        }
    }

    /** Whether the path operation has to end what a request has begun: see {@link PathOperation#leaveBuffer}. */
    @Override
    public boolean goesOn() {
        return mayBeDone && tail.leaveBuffer();
    }

    @Override
    public void giveUp(Throwable why) {
        fail(why);
    }

    private void walk(Session session) {
        if (!steps.stream().allMatch(OctetText::isEncodable)) {
            fail(new NfsException(
                    path,
                    Status.NFS4ERR_BADCHAR.name(),
                    "a name in it has a lone surrogate, which stands for no octet"));
            return;
        }
        start = null;
        asked = null;
        if (known.matterFor(steps)) {
            asked = known.now();
            start = isFromRoot ? null : known.above(steps.subList(0, steps.size() - 1));
        }
        // SEQUENCE, PUTFH, GETATTR and GETFH stand beside the lookups
        int beside = 4 + (asked == null ? 0 : KnownDirectories.mostAsked()) + PathOperation.MAX_OPERATIONS;
        int most = Math.max(1, Math.min(1024, session.limits().maxOperations()) - beside);
        if (start == null) {
            hop(root.handle(), 0, most, false);
        } else {
            hop(start.handle(), start.depth(), most, false);
        }
    }

    /** Whether a path operation on a name gets none. */
    private boolean lacksName() {
        return last.isNamed() && (isDotted || steps.isEmpty() || PathSteps.isUp(steps.get(steps.size() - 1)));
    }

    /**
     * Goes on at {@code base}, the object of {@code steps[0..from)}.
     *
     * @param isDirectory whether the server has told that the object is a directory
     */
    private void hop(FileHandle base, int from, int most, boolean isDirectory) {
        int end = steps.size() - (last.isNamed() && !lacksName() ? 1 : 0);
        if (end - from > most || ((isDotted || lacksName()) && !isDirectory)) {
            int to = Math.min(from + most, end);
            Hop<FileHandle> hop = new Hop<>(base, from, to, PathOperations.handle(), false);
            Futures.whenDone(caller.call(hop), result, (handle, thrown) -> {
                if (thrown == null) {
                    hop(handle, to, most, to == end);
                } else {
                    troubled(thrown);
                }
            });
        } else if (lacksName()) {
            fail(new NfsException(path, tail.withoutName().name(), "the path ends with no name of its own"));
        } else {
            Hop<T> hop = new Hop<>(base, from, end, tail, true);
            Futures.whenDone(caller.call(hop), result, (value, thrown) -> {
                if (thrown == null) {
                    Futures.complete(result, value, null);
                } else {
                    mayBeDone |= hop.mayBeDone();
                    troubled(thrown);
                }
            });
        }
    }

    /** Whether a later walk can begin at the directory of so many steps, so that this one asks for its handle. */
    private boolean asksHandle(int depth) {
        return asked != null && KnownDirectories.asksAt(depth, steps.size());
    }

    private void troubled(Throwable thrown) {
        if (start != null && thrown instanceof StatusException e && mayBeElsewhere(e)) {
            known.forget(start);
            isFromRoot = true;
            begin();
        } else if (thrown instanceof LinkException link) {
            follow(link.step);
        } else if (thrown instanceof MovedStepException moved) {
            locate(moved);
        } else if (thrown instanceof StatusException e && isStale(e.status()) && !rootFoundAgain) {
            rootFoundAgain = true;
            Futures.whenDone(root.findAgain(caller), result, (found, failed) -> {
                if (failed == null) {
                    begin();
                } else {
                    fail(failed);
                }
            });
        } else {
            fail(thrown);
        }
    }

    /** Part of the path is on a file system that has moved: asks the server for its location, once. */
    private void locate(MovedStepException moved) {
        LocateRequest where = LocateRequest.of(root.path(steps.subList(0, moved.reached)));
        Futures.whenDone(
                caller.call(where),
                result,
                (locations, thrown) -> fail(new MovedException(moved.opcode, locations, "")));
    }

    /** Whether the failure came on the way, or tells that the directory is no longer there: nothing has been done. */
    private static boolean mayBeElsewhere(StatusException e) {
        return !(e instanceof RepeatedChangeException)
                && (e.opcode() == Opcode.PUTFH
                        || e.opcode() == Opcode.LOOKUP
                        || e.opcode() == Opcode.VERIFY
                        || e.status() == Status.NFS4ERR_NOENT
                        || isStale(e.status()));
    }

    private static boolean isStale(Status status) {
        return status == Status.NFS4ERR_STALE
                || status == Status.NFS4ERR_BADHANDLE
                || status == Status.NFS4ERR_FHEXPIRED;
    }

    private void follow(int step) {
        if (!caller.settings().followsLinks()) {
            fail(Errors.link(path));
            return;
        }
        links++;
        if (links > PathSteps.MAX_LINKS) {
            fail(Errors.loop(path));
            return;
        }
        PathWalk<String> toLink = new PathWalk<>(
                caller, root, known, steps.subList(0, step + 1), Last.ITSELF, new ReadLinkOperation(), path);
        toLink.links = links; // the server may tell of other links there
        Futures.whenDone(toLink.start(), result, (text, thrown) -> {
            if (thrown == null) {
                links = toLink.links;
                steps = PathSteps.contain(PathSteps.replaceLink(steps, step, text));
                begin();
            } else {
                fail(thrown);
            }
        });
    }

    private void fail(Throwable thrown) {
        boolean isDoubtful = mayBeDone && tail.isCached() && thrown instanceof StatusException;
        Futures.fail(
                result,
                Errors.described(path, isDoubtful ? RepeatedChangeException.of((StatusException) thrown) : thrown));
    }

    /** A step led to a symbolic link that has to be followed. */
    private static final class LinkException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int step;

        LinkException(int step) {
            super("symbolic link at step " + step);
            this.step = step;
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** The object of that many steps is absent on this server: its file system has moved. */
    private static final class MovedStepException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int reached;
        private final int opcode;

        MovedStepException(int reached, int opcode) {
            super("moved behind step " + reached);
            this.reached = reached;
            this.opcode = opcode;
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }

    /** Steps {@code from} to {@code to}, and the path operation at their end. */
    private final class Hop<R> extends CompoundRequest<R> {
        private final FileHandle base;
        private final List<String> hops;
        private final int from;
        private final PathOperation<R> end;
        private final boolean isLastHop;
        private final String name;
        /** How many steps from the root the server has looked up. */
        private int reached;

        Hop(FileHandle base, int from, int to, PathOperation<R> end, boolean isLastHop) {
            this.base = base;
            this.hops = steps.subList(from, to);
            this.from = from;
            this.end = end;
            this.isLastHop = isLastHop;
            this.name = isLastHop && last.isNamed() ? steps.get(steps.size() - 1) : null;
        }

        @Override
        public void encode(CompoundWriter operations) {
            operations.putFh(base);
            for (int i = 0; i < hops.size(); i++) {
                String step = hops.get(i);
                if (PathSteps.isUp(step)) {
                    LookupP.encodeArgs(operations.next());
                } else {
                    Lookup.encodeArgs(operations.next(), new Lookup.Args(step));
                }
                if (asksHandle(from + i + 1)) {
                    GetFh.encodeArgs(operations.next());
                }
            }
            operations.getAttr(TYPE);
            end.encode(operations, name);
        }

        @Override
        public R decode(Results results) throws IOException {
            reached = from;
            try {
                return decodeSteps(results);
            } catch (StatusException e) {
                throw e.status() == Status.NFS4ERR_MOVED ? new MovedStepException(reached, e.opcode()) : e;
            }
        }

        private R decodeSteps(Results results) throws IOException {
            results.next(Opcode.PUTFH);
            for (int i = 0; i < hops.size(); i++) {
                int opcode = PathSteps.isUp(hops.get(i)) ? Opcode.LOOKUPP : Opcode.LOOKUP;
                Status status = results.status(opcode);
                if (status == Status.NFS4ERR_SYMLINK && from + i > 0) {
                    throw new LinkException(from + i - 1);
                }
                if (!status.isOk()) {
                    throw results.failure(status, opcode);
                }
                reached++;
                if (asksHandle(reached)) {
                    known.found(steps.subList(0, reached), results.getFh(), asked);
                }
            }
            ObjectType type = results.getAttr().get(Attribute.TYPE);
            int at = from + hops.size() - 1;
            if (type == ObjectType.NF4LNK && at >= 0 && !(isLastHop && last == Last.ITSELF)) {
                throw new LinkException(at);
            }
            boolean mustBeDirectory = isDotted && !isLastHop && at >= 0 && at == steps.size() - 1;
            if (mustBeDirectory && type != ObjectType.NF4DIR && type != ObjectType.NF4ATTRDIR) {
                throw results.failure(Status.NFS4ERR_NOTDIR, Opcode.LOOKUP);
            }
            return decodeTail(results);
        }

        private R decodeTail(Results results) throws IOException {
            try {
                return end.decode(results);
            } catch (StatusException e) {
                if (e.status() == Status.NFS4ERR_SYMLINK && isLastHop && last == Last.NAMED_FOLLOWED) {
                    throw new LinkException(steps.size() - 1);
                }
                throw e;
            }
        }

        @Override
        public boolean isCached() {
            return end.isCached();
        }

        @Override
        public BorrowingFuture<?> borrower() {
            return end.borrower();
        }

        @Override
        public boolean leaveBuffer() {
            return end.leaveBuffer();
        }

        @Override
        public ByteBuffer sink() {
            return end.sink();
        }

        @Override
        public int transferOctets() {
            return end.transferOctets();
        }

        @Override
        public int maxReplySize() {
            return end.maxReplySize()
                    + 8 * hops.size()
                    + (asked == null ? 0 : KnownDirectories.mostAsked() * GETFH_RESULT);
        }
    }
}
