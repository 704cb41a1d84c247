package io.verbena.nfs.transfer.internal.tree;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Checks whether local files have extended attributes that a copy does not keep. Stateless. */
final class LocalAttributes {
    /**
     * The extended attributes that a host sets on every file, so that they are not properties of a single file: labels
     * and checksums of security modules, and on an NFS mount the access control list that corresponds to the mode.
     */
    private static final Set<String> OF_EVERY_FILE = Set.of(
            "security.selinux",
            "security.SMACK64",
            "security.ima",
            "security.evm",
            "system.nfs4_acl",
            "system.nfs4_dacl",
            "system.nfs4_sacl");

    private LocalAttributes() {}

    /**
     * Returns whether a file has extended attributes of its own.
     *
     * @param allNames returns the names of all extended attributes, or null if only java.nio can report them, and then
     *     only {@code user.*}
     */
    static boolean areThere(Path file, Function<Path, List<String>> allNames) throws IOException {
        try {
            List<String> names = allNames.apply(file);
            return names == null ? areUsersThere(file) : names.stream().anyMatch(name -> !OF_EVERY_FILE.contains(name));
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof FileSystemException) {
                return false; // the file system does not support extended attributes
            }
            throw e.getCause();
        } catch (FileSystemException e) {
            return false;
        }
    }

    private static boolean areUsersThere(Path file) throws IOException {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        return view != null && !view.list().isEmpty();
    }
}
