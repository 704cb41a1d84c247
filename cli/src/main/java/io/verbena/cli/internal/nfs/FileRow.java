package io.verbena.cli.internal.nfs;

import io.verbena.cli.Listing;
import io.verbena.cli.Text;
import io.verbena.cli.internal.ModeText;
import io.verbena.cli.internal.MountedPath;
import io.verbena.nfs.FileAttributes;
import java.io.IOException;
import java.util.Locale;

/**
 * A file in a list.
 *
 * @param path where it is
 * @param shown how people see it named
 * @param attributes its own
 * @param target what a symbolic link holds, as people see it, where that was asked for; else null
 */
record FileRow(MountedPath path, String shown, FileAttributes attributes, String target) {
    /** A file whose link is read where it is one. */
    static FileRow withTarget(MountedPath path, String shown, FileAttributes attributes) throws IOException {
        return new FileRow(path, shown, attributes, attributes.isSymbolicLink() ? Text.name(path.readLink()) : null);
    }

    /** Adds what JSON tells of a file, the same in every list. */
    static Listing<FileRow> members(Listing<FileRow> listing) {
        return listing.member("path", row -> row.path.toString())
                .member("name", row -> Text.name(row.path.remote().name()))
                .member("type", FileRow::type)
                .member("target", FileRow::target)
                .member("size", row -> row.attributes.size())
                .member("spaceUsed", row -> row.attributes.spaceUsed())
                .member("mode", FileRow::octalMode)
                .member("links", row -> row.attributes.linkCount())
                .member("owner", row -> row.attributes.owner())
                .member("group", row -> row.attributes.group())
                .member("modified", row -> row.attributes.modified())
                .member("accessed", row -> row.attributes.accessed())
                .member("changed", row -> row.attributes.changed())
                .member("fileSystemId", FileRow::fileSystemId)
                .member("fileId", row -> Long.toUnsignedString(row.attributes.fileId()))
                .member("change", row -> Long.toUnsignedString(row.attributes.change()));
    }

    String type() {
        return attributes.type().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String octalMode() {
        return String.format("%04o", attributes.mode());
    }

    String modeText() {
        return ModeText.of(attributes.type(), attributes.mode());
    }

    String fileSystemId() {
        return Long.toUnsignedString(attributes.fileSystemMajor()) + ":"
                + Long.toUnsignedString(attributes.fileSystemMinor());
    }
}
