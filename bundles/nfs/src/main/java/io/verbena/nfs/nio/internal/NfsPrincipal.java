package io.verbena.nfs.nio.internal;

import java.nio.file.attribute.GroupPrincipal;

/** A user or a group as the server names it: a number or {@code user@domain}. */
record NfsPrincipal(String name) implements GroupPrincipal {
    @Override
    public String getName() {
        return name;
    }

    @Override
    public String toString() {
        return name;
    }
}
