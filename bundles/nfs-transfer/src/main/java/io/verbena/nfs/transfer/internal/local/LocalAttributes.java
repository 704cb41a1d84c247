package io.verbena.nfs.transfer.internal.local;

import io.verbena.dirfd.host.ExtendedAttributes;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Optional;
import java.util.Set;

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
     * Returns whether attributes belong to the file itself.
     *
     * @param names the names of the extended attributes of the file
     */
    static boolean areOwn(List<String> names) {
        return names.stream().anyMatch(name -> !OF_EVERY_FILE.contains(name));
    }

    /** Returns whether a file that the user named has extended attributes of its own. */
    static boolean areThere(Path named) throws IOException {
        try {
            Optional<List<String>> names = ExtendedAttributes.names(named);
            return names.isPresent() ? areOwn(names.get()) : areUsersThere(named);
        } catch (FileSystemException e) {
            return false; // the file system does not support extended attributes
        }
    }

    private static boolean areUsersThere(Path file) throws IOException {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        return view != null && !view.list().isEmpty();
    }
}
