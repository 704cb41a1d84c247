package io.verbena.nfs41.server.internal.security;

import io.verbena.dirfd.host.Accounts;
import java.io.IOException;
import java.util.Optional;

/** The users and groups of this host. A call may block; it throws where the host cannot tell now. Thread safe. */
public interface HostUsers {
    /** Those that the C library knows. */
    HostUsers OF_HOST = new HostUsers() {
        @Override
        public Optional<LocalUser> user(String name) throws IOException {
            return Accounts.user(name).map(found -> new LocalUser(found.uid(), found.gid(), found.groups()));
        }

        @Override
        public Optional<Integer> group(String name) throws IOException {
            return Accounts.group(name);
        }

        @Override
        public Optional<String> userName(int uid) throws IOException {
            return Accounts.userName(uid);
        }

        @Override
        public Optional<String> groupName(int gid) throws IOException {
            return Accounts.groupName(gid);
        }
    };

    Optional<LocalUser> user(String name) throws IOException;

    /** The gid of a group. */
    Optional<Integer> group(String name) throws IOException;

    Optional<String> userName(int uid) throws IOException;

    Optional<String> groupName(int gid) throws IOException;
}
