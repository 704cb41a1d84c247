package io.verbena.nfs41.client.internal.compound;

import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.ServerUnavailableException;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.util.Futures;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.PathSteps;
import io.verbena.rpc.CallTimedOutException;
import io.verbena.rpc.MissingServiceException;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;

/**
 * Turns error statuses of the server into exceptions of java.nio, with a message for users: what was asked, what is
 * wrong.
 */
public final class Errors {
    private Errors() {}

    /**
     * @param path what was asked for, as {@code NAME:/path}
     */
    public static IOException of(String path, Throwable thrown) {
        Throwable cause = Futures.unwrap(thrown);
        if (cause instanceof MovedException e) {
            return new NfsException(path, e.status().name(), e.explanation());
        }
        if (cause instanceof RepeatedChangeException e) {
            return new UndecidedException(
                    path,
                    e.status().name(),
                    e.status() == Status.NFS4ERR_RETRY_UNCACHED_REP || e.status() == Status.NFS4ERR_SEQ_FALSE_RETRY
                            ? explain(e.status(), e.opcode())
                            : "the session was lost before the server had answered, and now it answers "
                                    + Opcode.name(e.opcode()) + " with " + e.status()
                                    + ": whether this call has done it is not known");
        }
        if (cause instanceof StatusException e) {
            return of(path, e.status(), e.opcode());
        }
        return cause instanceof IOException e ? asApiType(e) : new IOException(path + ": " + cause, cause);
    }

    /** As {@link #of}, for the failure of a future: a Throwable that is no IOException stays as it is. */
    public static Throwable described(String path, Throwable thrown) {
        Throwable cause = Futures.unwrap(thrown);
        return cause instanceof IOException ? of(path, cause) : cause;
    }

    /**
     * The exception as a type of the API: RPC failures become {@link ServerUnavailableException} with the same message.
     */
    public static IOException asApiType(IOException e) {
        boolean unavailable = e instanceof TransportLostException
                || e instanceof CallTimedOutException
                || e instanceof MissingServiceException;
        return unavailable ? new ServerUnavailableException(e.getMessage(), e) : e;
    }

    private static FileSystemException of(String path, Status status, int opcode) {
        return switch (status) {
            case NFS4ERR_NOENT -> new NoSuchFileException(path, null, "no such file or directory");
            case NFS4ERR_EXIST -> new FileAlreadyExistsException(path, null, "it exists already");
            case NFS4ERR_ACCESS, NFS4ERR_PERM ->
                new AccessDeniedException(path, null, "the server denies " + Opcode.name(opcode) + " to this user");
            case NFS4ERR_NOTDIR -> named(new NotDirectoryException(path), "it is not a directory");
            case NFS4ERR_NOTEMPTY -> named(new DirectoryNotEmptyException(path), "the directory is not empty");
            case NFS4ERR_SYMLINK -> new NfsException(path, status.name(), "it is a symbolic link");
            default -> new NfsException(path, status.name(), explain(status, opcode));
        };
    }

    /** Adds the reason as a cause, for exceptions without a reason of their own. */
    private static FileSystemException named(FileSystemException exception, String reason) {
        exception.initCause(new IOException(reason));
        return exception;
    }

    public static FileSystemException notLink(String path) {
        return named(new NotLinkException(path), "it is not a symbolic link");
    }

    public static FileSystemException loop(String path) {
        return named(
                new FileSystemLoopException(path), "more than " + PathSteps.MAX_LINKS + " symbolic links in a row");
    }

    public static NfsException link(String path) {
        return new NfsException(
                path, Status.NFS4ERR_SYMLINK.name(), "it leads by a symbolic link, which option links=off refuses");
    }

    public static NfsException readOnly(String path) {
        return new NfsException(path, Status.NFS4ERR_ROFS.name(), "it is mounted read-only: mount it with option rw");
    }

    /** Adds to the refusal of an open how many files are open: a server has a limit for each client. */
    public static Throwable withOpens(int opens, Throwable thrown) {
        Throwable cause = Futures.unwrap(thrown);
        if (cause instanceof NfsException e
                && (e.status().equals(Status.NFS4ERR_SERVERFAULT.name())
                        || e.status().equals(Status.NFS4ERR_RESOURCE.name()))) {
            NfsException counted = new NfsException(
                    e.getFile(), e.status(), "with " + opens + " files open by this mount, " + e.getReason());
            counted.initCause(e);
            return counted;
        }
        return cause;
    }

    /** What a failed GETATTR means, as users read it. */
    public static String explained(Status status) {
        return explain(status, Opcode.GETATTR);
    }

    private static String explain(Status status, int opcode) {
        return switch (status) {
                    case NFS4ERR_NOSPC -> "no space is left on the server";
                    case NFS4ERR_DQUOT -> "the user's quota on the server is used up";
                    case NFS4ERR_ROFS -> "the server exports it read-only";
                    case NFS4ERR_ISDIR -> "it is a directory";
                    case NFS4ERR_FBIG -> "the file would be larger than the server allows";
                    case NFS4ERR_NAMETOOLONG -> "a name is longer than the server allows";
                    case NFS4ERR_STALE, NFS4ERR_BADHANDLE, NFS4ERR_FHEXPIRED ->
                        "it was removed on the server, or is not exported any more";
                    case NFS4ERR_IO -> "the server met an I/O error";
                    case NFS4ERR_XDEV -> "source and target are on different file systems of the server";
                    case NFS4ERR_MLINK -> "the file has as many names as the server allows";
                    case NFS4ERR_INVAL -> "the server finds an argument of " + Opcode.name(opcode) + " invalid";
                    case NFS4ERR_BADNAME, NFS4ERR_BADCHAR -> "the server does not allow this name";
                    case NFS4ERR_BADOWNER -> "the server does not know this owner or group";
                    case NFS4ERR_NOTSUPP, NFS4ERR_ATTRNOTSUPP ->
                        "the server does not support " + Opcode.name(opcode) + " here";
                    case NFS4ERR_SHARE_DENIED -> "another client has opened it and denies this access";
                    case NFS4ERR_LOCKED -> "another client holds a lock on it";
                    case NFS4ERR_DENIED -> "somebody else holds a conflicting lock";
                    case NFS4ERR_DEADLOCK -> "waiting for the lock would never end";
                    case NFS4ERR_OPENMODE -> "it was not opened for this";
                    case NFS4ERR_WRONGSEC -> "the server wants another security flavor: see option sec";
                    case NFS4ERR_WRONG_TYPE -> "it is not of a kind that allows this";
                    case NFS4ERR_FILE_OPEN -> "somebody has it open";
                    case NFS4ERR_NOT_SAME ->
                        opcode == Opcode.VERIFY ? "another object is there by now" : "the directory was changed";
                    case NFS4ERR_GRACE ->
                        "the server has just restarted and waits for its clients: try again in a minute";
                    case NFS4ERR_DELAY -> "the server is busy with it: try again";
                    case NFS4ERR_BADSESSION, NFS4ERR_DEADSESSION ->
                        "the server loses each session, as one that restarts again and again: try again";
                    case NFS4ERR_SERVERFAULT, NFS4ERR_RESOURCE ->
                        opcode == Opcode.OPEN || opcode == Opcode.LOCK
                                ? "the server met an error, or keeps no more opens and locks of this mount: close"
                                        + " files, or use another mount for some of them"
                                : "the server met an error in " + Opcode.name(opcode);
                    case NFS4ERR_MOVED -> "the server has moved it to another server";
                    case NFS4ERR_SEQ_FALSE_RETRY ->
                        "the server takes it for a repetition of another request: whether it was done is not known";
                    case NFS4ERR_RETRY_UNCACHED_REP -> "the reply was lost: whether it was done is not known";
                    case NFS4ERR_EXPIRED, NFS4ERR_BAD_STATEID, NFS4ERR_STALE_STATEID, NFS4ERR_ADMIN_REVOKED ->
                        "the server has given up this open file: open it again";
                    case NFS4ERR_MINOR_VERS_MISMATCH -> "the server does not speak NFS version 4.1";
                    case NFS4ERR_TOO_MANY_OPS, NFS4ERR_REQ_TOO_BIG, NFS4ERR_REP_TOO_BIG, NFS4ERR_REP_TOO_BIG_TO_CACHE ->
                        "the path is too long for the server's session limits";
                    default -> "the server answered " + Opcode.name(opcode) + " with an error";
                } + " (" + status + ")";
    }

    /**
     * The one of two failures to report: the first, unless only the second leaves open whether the operation was done.
     */
    public static Throwable moreSerious(Throwable first, Throwable second) {
        return first == null || (isUndecided(second) && !isUndecided(first)) ? second : first;
    }

    private static boolean isUndecided(Throwable thrown) {
        return thrown instanceof MountReplacedException replaced && replaced.isUndecided();
    }

    /** A copy of the exception, for another receiver: an exception cannot be suppressed by itself. */
    public static IOException copyOf(IOException e) {
        if (e instanceof MountReplacedException replaced) {
            return new MountReplacedException(replaced.mount(), replaced.isUndecided());
        }
        if (asApiType(e) instanceof ServerUnavailableException) {
            return new ServerUnavailableException(e.getMessage(), e);
        }
        if (e instanceof UndecidedException undecided) {
            UndecidedException copy =
                    new UndecidedException(undecided.getFile(), undecided.status(), undecided.getReason());
            copy.initCause(e);
            return copy;
        }
        IOException copy = e instanceof NfsException nfs
                ? new NfsException(nfs.getFile(), nfs.status(), nfs.getReason())
                : new IOException(e.getMessage());
        copy.initCause(e);
        return copy;
    }

    /**
     * The failure of a close: a copy, since another call may have thrown the same exception already. A try statement
     * adds the failure of the close to that of its block, and an exception cannot be added to itself. What the waiting
     * thread itself met is its own.
     */
    public static IOException ofClose(IOException e) {
        if (e instanceof InterruptedIOException || e instanceof ClosedChannelException) {
            return e;
        }
        IOException copy = copyOf(e);
        for (Throwable each : e.getSuppressed()) {
            copy.addSuppressed(each);
        }
        return copy;
    }

    /** Why a file system could not be mounted. */
    public static IOException ofMount(MountSettings settings, Throwable e) {
        if (!(e instanceof StatusException status)) {
            return e instanceof IOException known
                    ? known
                    : new IOException(e.getMessage() == null || e instanceof Error ? e.toString() : e.getMessage(), e);
        }
        return switch (status.status()) {
            case NFS4ERR_NOENT, NFS4ERR_NOTDIR ->
                // NoSuchFileException would be taken for a missing file of the mount
                new NfsException(
                        settings.source(), status.status().name(), "the server has no such export: check the path");
            case NFS4ERR_CLID_INUSE ->
                new NfsException(settings.source(), status.status().name(), "another user's client has the same name");
            default -> of(settings.source(), e);
        };
    }
}
