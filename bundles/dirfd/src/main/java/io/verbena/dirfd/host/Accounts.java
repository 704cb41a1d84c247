package io.verbena.dirfd.host;

import io.verbena.dirfd.Account;
import io.verbena.dirfd.internal.AccountFiles;
import io.verbena.dirfd.internal.AccountSource;
import io.verbena.dirfd.internal.linux.LinuxAccounts;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The users and groups of this host: by the C library, which asks what nsswitch.conf(5) names, such as LDAP; otherwise
 * by {@code /etc/passwd} and {@code /etc/group}. Each call may block for as long as such a service does. Thread safe.
 */
public final class Accounts {
    private static final Logger LOG = LoggerFactory.getLogger(Accounts.class);

    private Accounts() {}

    /** Loads the native code once, on first use. */
    private static final class Native {
        static final AccountSource LOADED = load();

        private static AccountSource load() {
            try {
                return LinuxAccounts.load();
            } catch (IOException | LinkageError | RuntimeException e) {
                LOG.info("Users and groups are those of /etc/passwd and /etc/group: {}", e.toString());
                return AccountFiles.ofHost();
            }
        }
    }

    /**
     * A user by name.
     *
     * @return empty where this host has no such user
     * @throws IOException where that cannot be told now
     */
    public static Optional<Account> user(String name) throws IOException {
        return Native.LOADED.user(name);
    }

    /** The name of a user; otherwise as {@link #user}. */
    public static Optional<String> userName(int uid) throws IOException {
        return Native.LOADED.userName(uid);
    }

    /** The gid of a group's name; otherwise as {@link #user}. */
    public static Optional<Integer> group(String name) throws IOException {
        return Native.LOADED.group(name);
    }

    /** The name of a group; otherwise as {@link #user}. */
    public static Optional<String> groupName(int gid) throws IOException {
        return Native.LOADED.groupName(gid);
    }
}
