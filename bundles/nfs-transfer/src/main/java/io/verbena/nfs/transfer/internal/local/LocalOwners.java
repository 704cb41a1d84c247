package io.verbena.nfs.transfer.internal.local;

import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sets the owners that NFS reports on files of this host. */
final class LocalOwners {
    private static final Logger LOG = LoggerFactory.getLogger(LocalOwners.class);

    private LocalOwners() {}

    /**
     * Sets owner and group.
     *
     * @param owner a number, or {@code user@domain} with a user that this host knows
     * @param group a number, or {@code group@domain} with a group that this host knows
     * @return whether both were set
     */
    static boolean set(FileReference file, String owner, String group) throws IOException {
        UserPrincipalLookupService names = FileSystems.getDefault().getUserPrincipalLookupService();
        try {
            // The JDK interprets the name as a number if no user has that name.
            file.setPrincipals(
                    names.lookupPrincipalByName(withoutDomain(owner)),
                    names.lookupPrincipalByGroupName(withoutDomain(group)));
            return true;
        } catch (UserPrincipalNotFoundException | FileSystemException e) {
            LOG.debug("a file keeps its owner", e);
            return false;
        }
    }

    private static String withoutDomain(String name) {
        int at = name.indexOf('@');
        return at < 0 ? name : name.substring(0, at);
    }
}
