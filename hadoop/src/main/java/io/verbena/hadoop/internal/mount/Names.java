package io.verbena.hadoop.internal.mount;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.dirfd.Account;
import io.verbena.dirfd.host.Accounts;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owners as Hadoop names them, and as NFS does: numbers become the names of this host's users and groups, and back. An
 * owner with a domain ({@code user@domain}) stays as it is. Names are found once in a process. Thread safe.
 */
public final class Names {
    private static final Logger LOG = LoggerFactory.getLogger(Names.class);
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,10}");
    private static final int MAX_KNOWN = 4096;
    private static final Names USERS = new Names(id -> Accounts.userName(id), "user");
    private static final Names GROUPS = new Names(id -> Accounts.groupName(id), "group");

    private final Lookup lookup;
    private final String kind;

    @GuardedBy("known")
    private final Map<String, String> known = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
            return size() > MAX_KNOWN;
        }
    };

    Names(Lookup lookup, String kind) {
        this.lookup = lookup;
        this.kind = kind;
    }

    /** Asks the host for the name of a number. */
    interface Lookup {
        Optional<String> name(int id) throws IOException;
    }

    /** The name of an owner that a server has given. */
    public static String user(String owner) {
        return USERS.name(owner);
    }

    /** The name of a group that a server has given. */
    public static String group(String group) {
        return GROUPS.name(group);
    }

    String name(String given) {
        if (!NUMBER.matcher(given).matches()) {
            return given;
        }
        synchronized (known) {
            String name = known.get(given);
            if (name != null) {
                return name;
            }
        }
        String name;
        try {
            name = lookup.name(Integer.parseUnsignedInt(given)).orElse(given);
        } catch (IOException | NumberFormatException e) { // it may be found the next time
            LOG.debug("the {} {} keeps its number: {}", kind, given, e.toString());
            return given;
        }
        synchronized (known) {
            known.put(given, name);
        }
        return name;
    }

    /**
     * What a server is told for the name of a user.
     *
     * @throws IOException if this host has no such user
     */
    public static String ownerOf(String user) throws IOException {
        if (isOfServer(user)) {
            return user;
        }
        Account account = Accounts.user(user).orElseThrow(() -> unknown("user", user));
        return Integer.toUnsignedString(account.uid());
    }

    /** As {@link #ownerOf}, for a group. */
    public static String groupOf(String group) throws IOException {
        if (isOfServer(group)) {
            return group;
        }
        return Integer.toUnsignedString(Accounts.group(group).orElseThrow(() -> unknown("group", group)));
    }

    private static boolean isOfServer(String name) {
        return name.indexOf('@') > 0 || NUMBER.matcher(name).matches();
    }

    private static IOException unknown(String kind, String name) {
        return new IOException("This host has no " + kind + " '" + name
                + "': give a number, or a name with the domain of" + " the server, as " + name + "@example.com");
    }
}
