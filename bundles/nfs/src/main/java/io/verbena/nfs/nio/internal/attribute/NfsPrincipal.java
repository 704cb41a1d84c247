package io.verbena.nfs.nio.internal.attribute;

import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;

/** An owner of files by the server's name for it: a number or {@code user@domain}. */
sealed interface NfsPrincipal extends UserPrincipal {
    /** A user. */
    record User(String name) implements NfsPrincipal {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** A group. */
    record Group(String name) implements NfsPrincipal, GroupPrincipal {
        @Override
        public String getName() {
            return name;
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
