package io.verbena.nfs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A directory of this host that is exported over NFSv4.1; a service with the property {@link #NAME}. Each configuration
 * of the factory {@link #PID} makes one export, whether or not it can listen: see {@link #awaitListening}.
 */
@ProviderType
public interface Export {
    /** Factory pid of exports: {@code io.verbena.nfs.export~NAME}. */
    String PID = "io.verbena.nfs.export";

    /** Service property and configuration key: the export's name. */
    String NAME = "verbena.export.name";

    /** Configuration key: the directory. */
    String DIRECTORY = "directory";

    /** Configuration key: the port; 20049 by default, 0 for any free port. */
    String PORT = "port";

    /** Configuration key: the address to listen on; 127.0.0.1 by default. */
    String ADDRESS = "address";

    /** Configuration key: whether clients may only read the directory. */
    String READ_ONLY = "readOnly";

    /**
     * Configuration key: the users that are mapped to the anonymous user, {@code root} (the default), {@code all} or
     * {@code none}, as in exports(5).
     */
    String SQUASH = "squash";

    /**
     * Configuration key: the hosts that may connect, each as {@code ADDRESS}, {@code ADDRESS/BITS} or {@code any}. None
     * (the default) means this host alone, and then {@link #ADDRESS} has to be a loopback address.
     */
    String ALLOW = "allow";

    /** Configuration key: the users, by name or uid, whose requests are executed; none (the default) means all. */
    String ALLOW_USER = "allowUser";

    /**
     * Configuration key: the kinds of security that are allowed, the preferred one first, with colons between them:
     * {@code sys} (the default), {@code krb5}, {@code krb5i} and {@code krb5p}, as in exports(5).
     */
    String SEC = "sec";

    /** Configuration key: the file with the server's keys; by default that of this host. */
    String KEYTAB = "keytab";

    /** Configuration key: the server's principal, {@code nfs/} and the full name of this host by default. */
    String PRINCIPAL = "principal";

    /**
     * Configuration key: a file that names the users of principals, in lines such as {@code alice@EXAMPLE.ORG = alice};
     * others of the server's realm are the users of the same names.
     */
    String PRINCIPALS = "principals";

    /** Configuration key: the domain of the names of owners, {@code name@domain}; numbers (the default) without one. */
    String DOMAIN = "domain";

    /**
     * Configuration key: the TCP port at which Linux's clients make their contexts of Kerberos, an Integer; 0 for none.
     * Linux knows no other port than {@link #DEFAULT_GSS_PORT}.
     */
    String GSS_PORT = "gssPort";

    /** The port of NFS over TCP. */
    int DEFAULT_GSS_PORT = 2049;

    /**
     * Configuration key: {@code on} or {@code off} (the default), whether peers have to connect from a port below 1024;
     * as {@code secure} and {@code insecure} in exports(5).
     */
    String SECURE = "secure";

    /**
     * Configuration key: {@code on} (the default) or {@code off}, whether files get no set-user-ID and set-group-ID
     * bits from users other than root.
     */
    String NOSUID = "nosuid";

    /**
     * Configuration key: the RDMA provider to listen with. {@code auto} (the default) listens with {@code iwarp}, which
     * serves every peer that speaks iWARP; peers on InfiniBand and RoCE need {@code native}.
     */
    String PROVIDER = "provider";

    /**
     * Configuration key: {@code on} (the default) or {@code off}, whether changes of names and attributes are on stable
     * storage before they are answered; as {@code sync} and {@code async} in exports(5).
     */
    String SYNC = "sync";

    String name();

    Path directory();

    boolean isReadOnly();

    /** Whether changes of names and attributes are on stable storage before they are answered. */
    default boolean isSync() {
        return true;
    }

    /** The address that the export listens on, with the actual port; empty if the export does not listen. */
    Optional<InetSocketAddress> localAddress();

    /** Why the export does not listen; empty if it listens, or has not tried yet. */
    Optional<IOException> failure();

    /**
     * Waits until the export listens.
     *
     * @throws IOException if the export cannot listen, with the reason, or does not listen in time
     */
    void awaitListening(Duration timeout) throws IOException;

    /** What the one who starts the export should know of the rights that it gives, in one line; mostly empty. */
    default Optional<String> notice() {
        return Optional.empty();
    }

    /**
     * How the export listens, by name, for people: {@code provider}, and {@code providerChoice}, why it is that
     * provider. Empty if the export does not listen.
     */
    Map<String, String> settings();

    /** Counters of clients, sessions, open files and operations, by name, for people. */
    Map<String, Long> counters();
}
