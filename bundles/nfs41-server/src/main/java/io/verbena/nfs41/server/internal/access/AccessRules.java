package io.verbena.nfs41.server.internal.access;

import io.verbena.rpc.Credential;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * Who may use an export. Immutable.
 *
 * <p>Addresses and ports are checked when a peer connects, before anything is made for it. Users are checked with each
 * request, since the requests of many users share a connection.
 */
public final class AccessRules {
    /** Everybody. */
    public static final AccessRules ALL = new AccessRules(List.of(AddressRange.ANY), Set.of(), false);

    /** Every user of this host, by its loopback addresses. */
    public static final AccessRules THIS_HOST =
            new AccessRules(List.of(AddressRange.parse("127.0.0.0/8"), AddressRange.parse("::1")), Set.of(), false);

    /** The first port that every user of a host may send from. */
    private static final int FIRST_FREE_PORT = 1024;

    private final List<AddressRange> hosts;
    private final Set<Integer> users;
    private final boolean secure;

    private AccessRules(List<AddressRange> hosts, Set<Integer> users, boolean secure) {
        this.hosts = List.copyOf(hosts);
        this.users = Set.copyOf(users);
        this.secure = secure;
    }

    /**
     * These rules for other hosts.
     *
     * @param ranges {@code ADDRESS}, {@code ADDRESS/BITS} or {@code any}
     * @throws IllegalArgumentException with a message for people
     */
    public AccessRules withHosts(List<String> ranges) {
        return new AccessRules(ranges.stream().map(AddressRange::parse).toList(), users, secure);
    }

    /**
     * These rules for other users.
     *
     * @param names names of {@code /etc/passwd}, or uids; none for all users
     * @throws IllegalArgumentException with a message for people
     */
    public AccessRules withUsers(List<String> names) {
        Set<Integer> uids = new TreeSet<>();
        names.forEach(name -> uids.add(LocalUsers.uid(name)));
        return new AccessRules(hosts, uids, secure);
    }

    /** These rules, with or without peers whose port every user may send from; {@code secure} of exports(5). */
    public AccessRules withSecure(boolean other) {
        return new AccessRules(hosts, users, other);
    }

    /** Whether a peer may connect. */
    public boolean mayConnect(SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress inet) || inet.getAddress() == null) {
            return false;
        }
        InetAddress address = inet.getAddress();
        boolean isPortFit = !secure || inet.getPort() < FIRST_FREE_PORT;
        return isPortFit && hosts.stream().anyMatch(range -> range.contains(address));
    }

    /** Whether a request with that credential may be executed, of a flavor that needs no mapping. */
    public boolean mayCall(Credential credential) {
        return mayCall(credential instanceof Credential.Sys sys ? OptionalInt.of(sys.uid()) : OptionalInt.empty());
    }

    /** Whether a request for that user may be executed, before squashing; empty for the anonymous user. */
    public boolean mayCall(OptionalInt uid) {
        return users.isEmpty() || (uid.isPresent() && users.contains(uid.getAsInt()));
    }
}
