package io.verbena.nfs.nio.internal.attribute;

import io.verbena.nfs.AttributeChanges;
import java.io.IOException;
import java.nio.file.ProviderMismatchException;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.UserPrincipal;
import java.util.Objects;
import java.util.Set;

/** The view {@code posix} of a file, or of a symbolic link itself. */
public final class PosixView extends BasicView implements PosixFileAttributeView {
    static final String NAME = "posix";

    PosixView(Place place, boolean follows) {
        super(place, follows);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public PosixAttributes readAttributes() throws IOException {
        return new PosixAttributes(attributes());
    }

    @Override
    public void setPermissions(Set<PosixFilePermission> permissions) throws IOException {
        // clears set-user-ID, set-group-ID and sticky bits, as java.nio does on Unix
        change(AttributeChanges.NONE.withMode(Modes.of(Modes.permissions(permissions))));
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return readAttributes().owner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        NfsPrincipal known = known(owner);
        if (!(known instanceof NfsPrincipal.User user)) {
            throw new IOException("'" + owner + "' is a group, which cannot own a file: look a user up");
        }
        change(AttributeChanges.NONE.withOwner(user.name()));
    }

    @Override
    public void setGroup(GroupPrincipal group) throws IOException {
        NfsPrincipal known = known(group);
        if (!(known instanceof NfsPrincipal.Group one)) {
            throw new ProviderMismatchException();
        }
        change(AttributeChanges.NONE.withGroup(one.name()));
    }

    private static NfsPrincipal known(UserPrincipal principal) {
        Objects.requireNonNull(principal, "a principal must be named");
        if (!(principal instanceof NfsPrincipal known)) {
            throw new ProviderMismatchException();
        }
        return known;
    }
}
