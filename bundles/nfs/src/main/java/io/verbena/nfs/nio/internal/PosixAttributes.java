package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** As {@link BasicAttributes}, with the owner and the permissions. */
final class PosixAttributes extends BasicAttributes implements PosixFileAttributes {
    PosixAttributes(FileAttributes remote) {
        super(remote);
    }

    @Override
    public UserPrincipal owner() {
        return new NfsPrincipal.User(remote().owner());
    }

    @Override
    public GroupPrincipal group() {
        return new NfsPrincipal.Group(remote().group());
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return Modes.permissions(remote().mode());
    }
}
