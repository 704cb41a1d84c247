package io.verbena.nfs41.server.internal;

import org.osgi.service.metatype.annotations.AttributeDefinition;
import org.osgi.service.metatype.annotations.ObjectClassDefinition;
import org.osgi.service.metatype.annotations.Option;

/** The configuration of an export. */
@ObjectClassDefinition(name = "NFS export", description = "A directory of this host that is offered over NFSv4.1")
@interface ExportConfiguration {
    int PORT = 20049;
    int GSS_PORT = 2049;
    int NOBODY = 65534;
    int LEASE_SECONDS = 90;
    int GRACE_SECONDS = 90;
    int CONNECTIONS = 256;
    int CREDITS = 64;

    @AttributeDefinition(name = "Name", description = "What people call the export; clients may mount it as /NAME")
    String verbena_export_name();

    @AttributeDefinition(name = "Directory", description = "The directory to export")
    String directory();

    @AttributeDefinition(name = "Address", description = "The address to listen on")
    String address() default "127.0.0.1";

    @AttributeDefinition(name = "Port", description = "The port to listen on; 0 picks a free one")
    int port() default PORT;

    @AttributeDefinition(name = "Read-only", description = "Whether clients can only read")
    boolean readOnly() default false;

    @AttributeDefinition(
            name = "Squash",
            description = "Whose credentials are not taken at their word, but count as the anonymous user; empty means"
                    + " root's",
            required = false,
            options = {
                @Option(label = "nobody's", value = "none"),
                @Option(label = "root's", value = "root"),
                @Option(label = "everybody's", value = "all")
            })
    String squash() default "";

    @AttributeDefinition(
            name = "Allowed hosts",
            description = "The addresses that may connect, each as ADDRESS, ADDRESS/BITS or any; none means this host"
                    + " alone, and then the address to listen on has to be a loopback address",
            required = false)
    String[] allow() default {};

    @AttributeDefinition(
            name = "Allowed users",
            description = "The users, by name or uid, whose requests are executed; none means all",
            required = false)
    String[] allowUser() default {};

    @AttributeDefinition(
            name = "Security",
            description = "The kinds of security that are allowed, the preferred one first, with colons between them:"
                    + " sys takes users at their word; krb5 has them prove who they are by Kerberos, krb5i keeps what"
                    + " is sent from changes too, and krb5p from readers",
            required = false)
    String sec() default "sys";

    @AttributeDefinition(
            name = "Keytab",
            description = "The file with the server's keys; empty for that of this host, KRB5_KTNAME or"
                    + " /etc/krb5.keytab",
            required = false)
    String keytab() default "";

    @AttributeDefinition(
            name = "Principal",
            description = "The server's principal, as nfs/host@REALM; empty for nfs/ and the full name of this host",
            required = false)
    String principal() default "";

    @AttributeDefinition(
            name = "Principals",
            description =
                    "A file that names the users of principals, in lines such as alice@EXAMPLE.ORG = alice; others"
                            + " of the server's realm are the users of the same names",
            required = false)
    String principals() default "";

    @AttributeDefinition(
            name = "Domain",
            description = "The domain of the names of owners, which are sent as name@domain; empty for numbers",
            required = false)
    String domain() default "";

    @AttributeDefinition(
            name = "GSS port",
            description = "The TCP port at which Linux's clients make their contexts of Kerberos, where sec allows it;"
                    + " they know no other port than 2049; 0 for none. Exports at the same address share it",
            min = "0",
            max = "65535")
    int gssPort() default GSS_PORT;

    @AttributeDefinition(
            name = "Secure",
            description = "on or off: whether peers have to connect from a port below 1024, which on their hosts only"
                    + " root may use",
            options = {@Option(label = "on", value = "on"), @Option(label = "off", value = "off")})
    String secure() default "off";

    @AttributeDefinition(
            name = "No set-id",
            description =
                    "on or off: whether files get no set-user-ID and set-group-ID bits from users other than" + " root",
            options = {@Option(label = "on", value = "on"), @Option(label = "off", value = "off")})
    String nosuid() default "on";

    @AttributeDefinition(name = "Anonymous user", description = "The uid of those who are squashed")
    int anonuid() default NOBODY;

    @AttributeDefinition(name = "Anonymous group", description = "The gid of those who are squashed")
    int anongid() default NOBODY;

    @AttributeDefinition(
            name = "Lease time",
            description = "Seconds that a silent client's opens and locks are kept",
            min = "5",
            max = "3600")
    int leaseTime() default LEASE_SECONDS;

    @AttributeDefinition(
            name = "Grace time",
            description = "Seconds after a restart in which clients take their opens and locks back",
            min = "0",
            max = "3600")
    int graceTime() default GRACE_SECONDS;

    @AttributeDefinition(
            name = "Delegations",
            description = "on or off: whether clients are lent files, and may then open, lock and change them without"
                    + " asking, until another client needs them. A client does not see changes that programs of"
                    + " this host make to a file it was lent. Turn it off if they change files in the directory",
            options = {@Option(label = "on", value = "on"), @Option(label = "off", value = "off")})
    String delegations() default "on";

    @AttributeDefinition(
            name = "Sync",
            description = "on or off: whether changes of names and attributes are on stable storage before clients are"
                    + " told of them. Where it is off, a loss of power may take changes back that clients"
                    + " take for made",
            options = {@Option(label = "on", value = "on"), @Option(label = "off", value = "off")})
    String sync() default "on";

    @AttributeDefinition(name = "Connections", description = "The most connections at once", min = "1")
    int maxConnections() default CONNECTIONS;

    @AttributeDefinition(
            name = "Credits",
            description = "Requests of a connection, and slots of a session, at once",
            min = "1",
            max = "1024")
    int credits() default CREDITS;

    @AttributeDefinition(
            name = "Inline threshold",
            description = "Octets, empty for the transport's default",
            required = false)
    String inline() default "";

    @AttributeDefinition(name = "CRC", description = "on or off, empty for the transport's default", required = false)
    String crc() default "";

    @AttributeDefinition(
            name = "Remote invalidation",
            description = "on or off, empty for the transport's default",
            required = false)
    String invalidate() default "";

    @AttributeDefinition(
            name = "Polling phase",
            description = "Microseconds, at most, that the thread of a connection looks for what comes before it waits;"
                    + " empty for the provider's default",
            required = false)
    String poll() default "";

    @AttributeDefinition(
            name = "Provider",
            description = "The RDMA provider to listen with. auto is iwarp, which serves every peer that speaks"
                    + " iWARP; peers on InfiniBand and RoCE need native, which listens on the RDMA devices"
                    + " of this host",
            required = false)
    String provider() default "auto";
}
