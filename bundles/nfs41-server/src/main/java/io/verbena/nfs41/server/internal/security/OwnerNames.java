package io.verbena.nfs41.server.internal.security;

import static io.verbena.nfs41.Status.NFS4ERR_BADOWNER;
import static io.verbena.nfs41.Status.NFS4ERR_DELAY;

import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Owners and groups as {@code fattr4} has them (RFC 8881 section 5.9): {@code name@domain} where the export has a
 * domain, and numbers otherwise, and for who has no name. A number is always accepted. Names that are not known are
 * looked up, which may block: {@link #knows} tells. Thread safe.
 */
public final class OwnerNames {
    private static final Logger LOG = LoggerFactory.getLogger(OwnerNames.class);

    /** The number by which chown(2) leaves an owner unchanged. */
    private static final int NOBODY_AT_ALL = -1;

    private static final int MAX_NAME = 1024;

    private final String domain;
    private final HostUsers users;
    private final AgingCache<Id, Optional<String>> names;
    private final AgingCache<Name, Optional<Integer>> numbers;

    private record Id(boolean isGroup, int number) {}

    private record Name(boolean isGroup, String text) {}

    /** @param domain empty for numbers alone */
    public OwnerNames(String domain, HostUsers users, Runtime runtime) {
        this.domain = domain;
        this.users = users;
        this.names = new AgingCache<>(runtime);
        this.numbers = new AgingCache<>(runtime);
    }

    /** Whether owners are numbers alone: then nothing blocks. */
    public boolean isNumeric() {
        return domain.isEmpty();
    }

    /** Whether {@link #text} does not block now. */
    public boolean knows(boolean isGroup, int number) {
        return isNumeric() || names.get(new Id(isGroup, number)) != null;
    }

    /** Whether {@link #number} does not block now. */
    public boolean knows(boolean isGroup, String text) {
        String name = isNumeric() || text == null ? null : name(text);
        return name == null || numbers.get(new Name(isGroup, name)) != null;
    }

    /** A user or group for {@code fattr4}. */
    public String text(boolean isGroup, int number) {
        Optional<String> name = isNumeric() ? Optional.empty() : nameOf(new Id(isGroup, number));
        return name.isPresent() ? name.get() + '@' + domain : Integer.toUnsignedString(number);
    }

    private Optional<String> nameOf(Id id) {
        Optional<String> known = names.get(id);
        if (known != null) {
            return known;
        }
        try {
            Optional<String> found =
                    (id.isGroup ? users.groupName(id.number) : users.userName(id.number)).filter(OwnerNames::isName);
            names.put(id, found, found.isPresent());
            return found;
        } catch (IOException e) {
            LOG.debug("The host cannot tell names now", e);
            names.put(id, Optional.empty(), false);
            return Optional.empty();
        }
    }

    private static boolean isName(String name) {
        return !name.isEmpty() && name.length() <= MAX_NAME;
    }

    /**
     * The user or group that a client names.
     *
     * @throws NfsError {@code BADOWNER} for another domain, and for a name that the host does not know; {@code DELAY}
     *     where the host cannot tell now
     */
    public int number(boolean isGroup, String text) throws NfsError {
        int at = text.lastIndexOf('@');
        if (at < 0) {
            return number(text);
        }
        String name = isNumeric() ? null : name(text);
        Optional<Integer> number = name == null ? Optional.empty() : numberOf(new Name(isGroup, name));
        return checked(number.orElseThrow(() -> new NfsError(NFS4ERR_BADOWNER)));
    }

    /** The name before the domain; null for another domain, and where there is none. */
    private String name(String text) {
        int at = text.lastIndexOf('@');
        boolean isOurs = at > 0 && text.substring(at + 1).equalsIgnoreCase(domain);
        return isOurs && at <= MAX_NAME ? text.substring(0, at) : null;
    }

    private Optional<Integer> numberOf(Name name) throws NfsError {
        Optional<Integer> known = numbers.get(name);
        if (known != null) {
            return known;
        }
        try {
            Optional<Integer> found = name.isGroup
                    ? users.group(name.text)
                    : users.user(name.text).map(LocalUser::uid);
            numbers.put(name, found, found.isPresent());
            return found;
        } catch (IOException e) {
            LOG.debug("The host cannot tell users and groups now", e);
            throw new NfsError(NFS4ERR_DELAY);
        }
    }

    private static int number(String text) throws NfsError {
        try {
            return checked(Integer.parseUnsignedInt(text));
        } catch (NumberFormatException e) {
            throw new NfsError(NFS4ERR_BADOWNER);
        }
    }

    private static int checked(int number) throws NfsError {
        if (number == NOBODY_AT_ALL) {
            throw new NfsError(NFS4ERR_BADOWNER);
        }
        return number;
    }
}
