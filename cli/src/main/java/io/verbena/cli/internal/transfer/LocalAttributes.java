package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserDefinedFileAttributeView;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.framework.ServiceReference;

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

    private static final String NAMES = "(verbena.function=extended-attribute-names)";

    private LocalAttributes() {}

    static boolean areThere(Path file) throws IOException {
        return areThere(file, LocalAttributes::allNames);
    }

    /**
     * @param allNames gives null where only java.nio can be asked, which tells of {@code user.*}
     */
    static boolean areThere(Path file, Function<Path, List<String>> allNames) throws IOException {
        try {
            List<String> names = allNames.apply(file);
            return names == null ? areUsersThere(file) : names.stream().anyMatch(name -> !OF_EVERY_FILE.contains(name));
        } catch (UncheckedIOException e) {
            if (e.getCause() instanceof FileSystemException) {
                return false; // the file system has none
            }
            throw e.getCause();
        } catch (FileSystemException e) {
            return false;
        }
    }

    /**
     * By the service of the bundle io.verbena.dirfd, which a client need not have. It is looked up for each file and its
     * types are the JDK's, so that the shell goes on when that bundle goes.
     */
    private static List<String> allNames(Path file) {
        Bundle bundle = FrameworkUtil.getBundle(LocalAttributes.class);
        BundleContext context = bundle == null ? null : bundle.getBundleContext();
        if (context == null) {
            return null;
        }
        try {
            for (ServiceReference<?> reference : context.getServiceReferences(Function.class, NAMES)) {
                Object service = context.getService(reference);
                try {
                    if (service instanceof Function<?, ?> names) {
                        return asked(names, file);
                    }
                } finally {
                    context.ungetService(reference);
                }
            }
            return null;
        } catch (InvalidSyntaxException | IllegalStateException e) {
            return null; // the bundle is being stopped
        }
    }

    @SuppressWarnings("unchecked") // the service's property says so
    private static List<String> asked(Function<?, ?> names, Path file) {
        return ((Function<Path, List<String>>) names).apply(file);
    }

    private static boolean areUsersThere(Path file) throws IOException {
        UserDefinedFileAttributeView view = Files.getFileAttributeView(file, UserDefinedFileAttributeView.class);
        return view != null && !view.list().isEmpty();
    }
}
