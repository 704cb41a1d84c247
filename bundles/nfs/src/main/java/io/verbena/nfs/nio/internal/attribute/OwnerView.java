package io.verbena.nfs.nio.internal.attribute;

import java.io.IOException;
import java.nio.file.attribute.FileOwnerAttributeView;
import java.nio.file.attribute.UserPrincipal;

/** The view {@code owner} of a file: a part of {@code posix}. */
public record OwnerView(PosixView posix) implements FileOwnerAttributeView {
    static final String NAME = "owner";

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public UserPrincipal getOwner() throws IOException {
        return posix.getOwner();
    }

    @Override
    public void setOwner(UserPrincipal owner) throws IOException {
        posix.setOwner(owner);
    }
}
