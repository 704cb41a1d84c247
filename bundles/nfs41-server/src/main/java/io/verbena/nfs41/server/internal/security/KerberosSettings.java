package io.verbena.nfs41.server.internal.security;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.kerberos.KerberosPrincipal;

/**
 * The server of an export by Kerberos.
 *
 * @param keytab has the server's keys
 * @param principal the server's, as {@code nfs/host} or {@code nfs/host@REALM}; empty for that of this host
 * @param principals the file of {@link PrincipalFile}
 * @param gssPort the TCP port at which Linux's clients make their contexts; 0 for none
 */
public record KerberosSettings(Path keytab, Optional<String> principal, Optional<Path> principals, int gssPort) {
    private static final String DEFAULT_KEYTAB = "/etc/krb5.keytab";
    private static final String FILE = "FILE:";

    /** The keytab of this host, as MIT Kerberos finds it. */
    public static Path defaultKeytab() {
        return keytab(System.getenv("KRB5_KTNAME"));
    }

    /** @param named {@code KRB5_KTNAME}, or null */
    static Path keytab(String named) {
        if (named == null || named.isBlank()) {
            return Path.of(DEFAULT_KEYTAB);
        }
        return Path.of(named.startsWith(FILE) ? named.substring(FILE.length()) : named);
    }

    /** Whether a text can be a server's principal: a service and a host, perhaps with a realm. */
    public static boolean isServer(String principal) {
        return principal.matches("[^/@\\s]+/[^/@\\s]+(@[^/@\\s]+)?");
    }

    /**
     * The server's principal; this host's canonical name may be looked up. Blocks.
     *
     * @throws java.net.UnknownHostException where this host has no address
     */
    public String server() throws IOException {
        return principal.isPresent()
                ? principal.get()
                : "nfs/" + InetAddress.getLocalHost().getCanonicalHostName().toLowerCase(Locale.ROOT);
    }

    /** A server's principal as GSS-API names the service, {@code nfs@host}. */
    public static String service(String server) {
        return server.replaceFirst("@.*", "").replace('/', '@');
    }

    /**
     * The realm of a server's principal, by default that of this host. Blocks.
     *
     * @throws IOException where krb5.conf names no realm; the message is for people
     */
    public static String realm(String server) throws IOException {
        try {
            return new KerberosPrincipal(server).getRealm();
        } catch (IllegalArgumentException e) {
            throw new IOException(
                    "the realm of " + server + " is not known: name it, as in nfs/host@REALM, or in krb5.conf", e);
        }
    }

    /**
     * The users of principals, by the file and by the host. Blocks.
     *
     * @throws IOException with a message for people
     */
    public PrincipalMapping mapping(HostUsers users) throws IOException {
        Map<String, String> named = principals.isPresent() ? PrincipalFile.read(principals.get()) : Map.of();
        return new PrincipalMapping(named, realm(server()), users);
    }
}
