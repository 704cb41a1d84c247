package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.compound.Errors;
import io.verbena.text.OctetText;
import java.util.Optional;

/** Converts directory entries to those of the API. An error in one entry affects that entry, not the directory. */
final class DirectoryEntries {
    private DirectoryEntries() {}

    /**
     * @param directory as {@code NAME:/path}
     * @param withAttributes whether attributes were asked for; what has come without being asked for is not used
     */
    static DirectoryEntry shown(ReadDir.Entry entry, String directory, boolean withAttributes) {
        String name = entry.name();
        Attributes attributes = entry.attributes();
        if (!isName(name)) {
            return failed(
                    printed(name),
                    Attributes.EMPTY,
                    new NfsException(
                            directory,
                            DirectoryEntry.BAD_NAME,
                            "the server lists '" + printed(name) + "' in it, a name that no file can have"));
        }
        if (!withAttributes) {
            return new DirectoryEntry(name, DirectoryEntry.NO_ATTRIBUTES);
        }
        Status status = attributes.get(Attribute.RDATTR_ERROR, Status.NFS4_OK);
        return status.isOk()
                ? new DirectoryEntry(name, FileAttributesCodec.decode(attributes))
                : failed(name, attributes, unreadable(directory, name, status));
    }

    private static DirectoryEntry failed(String name, Attributes attributes, NfsException failure) {
        return new DirectoryEntry(name, FileAttributesCodec.decode(attributes), Optional.of(failure));
    }

    private static NfsException unreadable(String directory, String name, Status status) {
        String path = directory.endsWith("/") ? directory + name : directory + "/" + name;
        String reason = status == Status.NFS4ERR_BADXDR
                ? "the server's listing has attributes of it that make no sense (NFS4ERR_BADXDR)"
                : "the server cannot tell its attributes: " + Errors.explained(status);
        return new NfsException(path, status.name(), reason);
    }

    /** Whether the name is valid for an object (RFC 8881 section 14.5) and usable as one component of a path. */
    static boolean isName(String name) {
        return !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.indexOf('/') < 0
                && name.indexOf('\0') < 0;
    }

    /** A printable form of an invalid name that cannot be taken for a path. */
    private static String printed(String name) {
        if (name.isEmpty()) {
            return "(empty)";
        }
        String escaped = OctetText.escape(name).replace("/", "\\x2F");
        return escaped.equals(".") || escaped.equals("..") ? escaped.replace(".", "\\x2E") : escaped;
    }
}
