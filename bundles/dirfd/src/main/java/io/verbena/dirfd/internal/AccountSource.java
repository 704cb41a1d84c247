package io.verbena.dirfd.internal;

import io.verbena.dirfd.Account;
import java.io.IOException;
import java.util.Optional;

/** Where users and groups are looked up; see {@link io.verbena.dirfd.host.Accounts}. Thread safe. */
public interface AccountSource {
    Optional<Account> user(String name) throws IOException;

    Optional<String> userName(int uid) throws IOException;

    Optional<Integer> group(String name) throws IOException;

    Optional<String> groupName(int gid) throws IOException;
}
