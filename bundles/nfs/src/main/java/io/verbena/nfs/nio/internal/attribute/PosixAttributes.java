package io.verbena.nfs.nio.internal.attribute;

import io.verbena.nfs.FileAttributes;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;

/** As {@link BasicAttributes}, with the owner and the permissions. */
public final class PosixAttributes extends BasicAttributes implements PosixFileAttributes {
    public PosixAttributes(FileAttributes attributes) {
        super(attributes);
    }

    @Override
    public UserPrincipal owner() {
        return new NfsPrincipal.User(attributes().owner());
    }

    @Override
    public GroupPrincipal group() {
        return new NfsPrincipal.Group(attributes().group());
    }

    @Override
    public Set<PosixFilePermission> permissions() {
        return Modes.permissions(attributes().mode());
    }
}
