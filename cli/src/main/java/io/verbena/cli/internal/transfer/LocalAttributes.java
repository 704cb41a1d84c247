package io.verbena.cli.internal.transfer;

import io.verbena.dirfd.host.ExtendedAttributes;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Looks whether local files have extended attributes that a copy does not keep. Stateless. */
final class LocalAttributes {
    /**
     * What a host gives each of its files by itself, so that it is nothing of a file's own: labels and checksums of
     * security modules, and on a mount of NFS the access control list that says what the mode says.
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

    static boolean areThere(Path file) throws IOException {
        try {
            Optional<List<String>> names = allNames(file);
            return names.isPresent()
                    ? names.get().stream().anyMatch(name -> !OF_EVERY_FILE.contains(name))
                    : areUsersThere(file);
        } catch (FileSystemException e) {
            return false; // the file system has none
        }
    }

    /** Empty where only java.nio can be asked. */
    private static Optional<List<String>> allNames(Path file) throws IOException {
        try {
            return ExtendedAttributes.names(file);
        } catch (NoClassDefFoundError e) {
            return Optional.empty(); // the bundle io.verbena.dirfd is not there, which a client does not need
        }
    }

    private static boolean areUsersThere(Path file) throws IOException {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        return view != null && !view.list().isEmpty();
    }
}
