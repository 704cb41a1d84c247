package io.verbena.cli.internal.nfs.command;

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
 * @param path the path of the file
 * @param shown the name that people see
 * @param attributes the attributes of the file
 * @param target the target of a symbolic link as people see it, if requested; otherwise null
 */
public record FileRow(MountedPath path, String shown, FileAttributes attributes, String target) {
    /** Returns the row of a file. The target of a symbolic link is read. */
    public static FileRow withTarget(MountedPath path, String shown, FileAttributes attributes) throws IOException {
        return new FileRow(path, shown, attributes, attributes.isSymbolicLink() ? Text.name(path.readLink()) : null);
    }

    /** Adds the JSON members of a file, which are the same in every list. */
    public static Listing<FileRow> members(Listing<FileRow> listing) {
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

    public String type() {
        return attributes.type().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    public String octalMode() {
        return String.format("%04o", attributes.mode());
    }

    public String modeText() {
        return ModeText.of(attributes.type(), attributes.mode());
    }

    public String fileSystemId() {
        return Long.toUnsignedString(attributes.fileSystemMajor()) + ":"
                + Long.toUnsignedString(attributes.fileSystemMinor());
    }
}
