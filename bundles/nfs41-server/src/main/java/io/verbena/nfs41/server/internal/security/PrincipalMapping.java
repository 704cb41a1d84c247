package io.verbena.nfs41.server.internal.security;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The users that principals of Kerberos stand for: those that are named, then the host's user of the same name for a
 * principal of the server's own realm. All others are anonymous, such as those of hosts and services. Blocks as long as
 * the host's users do. Thread safe.
 */
public final class PrincipalMapping {
    /** Nobody is named, and no realm is the server's own. */
    public static final PrincipalMapping NONE = new PrincipalMapping(Map.of(), "", HostUsers.OF_HOST);

    private static final Pattern NUMBER = Pattern.compile("\\d{1,10}");
    private static final long MAX_ID = 0xffff_fffeL;

    private final Map<String, String> named;
    private final String realm;
    private final HostUsers users;

    /**
     * @param named users by their principals, by name or uid
     * @param realm the server's own
     */
    public PrincipalMapping(Map<String, String> named, String realm, HostUsers users) {
        this.named = Map.copyOf(named);
        this.realm = realm;
        this.users = users;
    }

    /**
     * The user of a principal, or empty for the anonymous user.
     *
     * @throws IOException where the host cannot tell now
     */
    Optional<LocalUser> user(String principal) throws IOException {
        String name = named.get(principal);
        if (name != null) {
            return NUMBER.matcher(name).matches() ? byNumber(name) : users.user(name);
        }
        int at = principal.lastIndexOf('@');
        if (at <= 0 || realm.isEmpty() || !principal.substring(at + 1).equals(realm)) {
            return Optional.empty();
        }
        String own = principal.substring(0, at);
        boolean isPerson = own.indexOf('/') < 0 && own.indexOf('@') < 0 && own.indexOf('\\') < 0;
        return isPerson ? users.user(own) : Optional.empty();
    }

    /** A user by its uid, with the groups of its name where the host has one. */
    private Optional<LocalUser> byNumber(String number) throws IOException {
        long uid = Long.parseLong(number);
        if (uid > MAX_ID) {
            return Optional.empty();
        }
        Optional<String> name = users.userName((int) uid);
        Optional<LocalUser> known = name.isPresent() ? users.user(name.get()) : Optional.empty();
        return known.isPresent() && known.get().uid() == (int) uid
                ? known
                : Optional.of(new LocalUser((int) uid, (int) uid, List.of()));
    }
}
