package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives files of this host the owners that NFS tells. */
final class LocalOwners {
    private static final Logger LOG = LoggerFactory.getLogger(LocalOwners.class);

    private LocalOwners() {}

    /**
     * Sets owner and group.
     *
     * @param owner a number or {@code user@domain}, of which this host must know the user
     * @param group likewise
     * @return whether both could be set
     */
    static boolean set(Path file, String owner, String group) throws IOException {
        UserPrincipalLookupService names = file.getFileSystem().getUserPrincipalLookupService();
        PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        try {
            // the JDK takes a number where there is no such name
            view.setOwner(names.lookupPrincipalByName(withoutDomain(owner)));
            view.setGroup(names.lookupPrincipalByGroupName(withoutDomain(group)));
            return true;
        } catch (UserPrincipalNotFoundException | FileSystemException e) {
            LOG.debug("{} keeps its owner", file, e);
            return false;
        }
    }

    private static String withoutDomain(String name) {
        int at = name.indexOf('@');
        return at < 0 ? name : name.substring(0, at);
    }
}
