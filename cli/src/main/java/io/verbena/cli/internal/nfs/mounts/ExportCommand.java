package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.ExportRequest;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.Providers;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.LocalPathCompleter;
import io.verbena.cli.internal.complete.ProviderNameCompleter;
import io.verbena.nfs.Export;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** Exports a directory. */
@Service
@Command(
        scope = "nfs",
        name = "export",
        description = "Exports a directory of this host over NFSv4.1",
        detailedDescription =
                """
            The export is a configuration, io.verbena.nfs.export~NAME, and lasts until nfs:unexport.
            It listens on 127.0.0.1 unless --address says otherwise; then --allow says who may connect. AUTH_SYS has \
            users say who they are, so root counts as nobody, this host's root too, and files get no set-id bits. \
            Who exports and mounts as root, and wants to be root in the export, says --no-root-squash: then every \
            user of a host that may connect can claim to be root. With --sec krb5p users prove who they are by \
            Kerberos, and nobody else can read or change what is sent; the host has a keytab with a key of nfs/HOST, \
            and the feature verbena-rpcsec-gss is installed.

            Example: nfs:export --port 20049 --name docs /srv/docs
                 then nfs:mount -o port=20049 127.0.0.1:/ docs""")
public final class ExportCommand extends CliCommand {
    private static final int MAX_PORT = 65535;

    @Option(name = "--port", description = "The port to listen on; 0 takes a free one")
    private String port = "20049";

    @Option(name = "--address", description = "The address to listen on")
    private String address = "127.0.0.1";

    @Option(name = "--ro", description = "Read only")
    private boolean readOnly;

    @Option(name = "--sync", description = "A change is on stable storage before the server replies to it: the default")
    private boolean sync;

    @Option(
            name = "--async",
            description = "Clients are told of changes of names and attributes at once: faster, but a loss of power may"
                    + " take changes back that clients take for made; what they commit is on stable "
                    + "storage all the same")
    private boolean async;

    @Option(name = "--squash", description = "Who counts as nobody: none, root or all; by default root")
    @Completion(
            value = StringsCompleter.class,
            values = {"none", "root", "all"})
    private String squash;

    @Option(name = "--no-root-squash", description = "Takes root of the clients for root: as --squash none")
    private boolean noRootSquash;

    @Option(
            name = "--allow",
            description = "A host that may connect, as ADDRESS, ADDRESS/BITS or any; may be repeated; by default this"
                    + " host alone",
            multiValued = true)
    private List<String> allow = List.of();

    @Option(
            name = "--allow-user",
            description = "A user, by name or uid, whose requests are executed; may be repeated; by default all. A"
                    + " kernel's client needs root beside",
            multiValued = true)
    private List<String> allowUser = List.of();

    @Option(name = "--secure", description = "Peers have to connect from a port below 1024, which is root's")
    private boolean secure;

    @Option(
            name = "--sec",
            description = "The kinds of security that are allowed, the preferred one first, with colons between them:"
                    + " sys takes users at their word, krb5 has them prove who they are by Kerberos, krb5i keeps what"
                    + " is sent from changes too, and krb5p from readers; by default sys")
    @Completion(
            value = StringsCompleter.class,
            values = {"sys", "krb5", "krb5i", "krb5p", "krb5p:krb5i:krb5"})
    private String sec = "sys";

    @Option(
            name = "--keytab",
            description = "The file with the server's keys; by default that of this host, KRB5_KTNAME or"
                    + " /etc/krb5.keytab")
    @Completion(LocalPathCompleter.class)
    private String keytab;

    @Option(
            name = "--principal",
            description = "The server's principal, as nfs/host@REALM; by default nfs/ and the full name of this host")
    private String principal;

    @Option(
            name = "--principals",
            description =
                    "A file that names the users of principals, in lines such as alice@EXAMPLE.ORG = alice; others"
                            + " of the server's realm are the users of the same names")
    @Completion(LocalPathCompleter.class)
    private String principals;

    @Option(
            name = "--domain",
            description = "Owners are sent as name@DOMAIN, and taken so; by default they are numbers")
    private String domain;

    @Option(
            name = "--gss-port",
            description = "The TCP port at which Linux's clients make their contexts of Kerberos; they know no other"
                    + " port than 2049, which is the default; 0 for none")
    private String gssPort;

    @Option(
            name = "--nosuid",
            description = "Files get no set-user-ID and set-group-ID bits from users other than root: the default")
    private boolean noSuid;

    @Option(name = "--suid", description = "All users may give their files set-user-ID and set-group-ID bits")
    private boolean suid;

    @Option(
            name = "--provider",
            description = "The RDMA provider to listen with: auto is iwarp, which serves every peer that speaks iWARP;"
                    + " those on InfiniBand and RoCE need native")
    @Completion(ProviderNameCompleter.class)
    private String provider = "auto";

    @Option(name = "--name", description = "The export's name; by default the directory's")
    private String name;

    @Argument(name = "DIR", description = "The directory", required = true)
    @Completion(LocalPathCompleter.class)
    private String directory;

    @Reference
    private Exports exports;

    @Reference
    private Providers providers;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        Path path = invocation().path(directory).normalize();
        if (!Files.isDirectory(path)) {
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND, "cannot export " + LocalNames.shown(path) + ": no such directory");
        }
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(LocalNames.text(path))) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "cannot export " + LocalNames.shown(path)
                            + ": its path is not UTF-8, which a configuration has to be; export a directory above it");
        }
        if (sync && async) {
            throw new CommandFailure(ExitStatus.USAGE, "--sync and --async are opposites: choose one");
        }
        if (noSuid && suid) {
            throw new CommandFailure(ExitStatus.USAGE, "--nosuid and --suid are opposites: choose one");
        }
        requireAllowed();
        providers.check(provider);
        String exportName = name != null ? checked(name) : defaultName(path);
        Export export = exports.export(new ExportRequest(
                exportName,
                path,
                address,
                Quantities.number("--port", port, "a port is a number", 0, MAX_PORT),
                readOnly,
                squash(),
                allow,
                allowUser,
                secure,
                !suid,
                provider,
                !async,
                security()));
        String where = export.localAddress().map(ExportCommand::format).orElse(address);
        note("exported " + LocalNames.shown(path) + " as " + Text.printable(exportName) + " at " + where);
        export.notice().ifPresent(notice -> note("note: " + notice));
    }

    private ExportRequest.Security security() throws CommandException {
        if (!sec.matches("(sys|krb5[ip]?)(:(sys|krb5[ip]?))*")) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--sec " + Text.printable(sec) + ": it is sys, krb5, krb5i and krb5p, those that are allowed with"
                            + " colons between them");
        }
        if (!sec.contains("krb5") && (keytab != null || principal != null || principals != null || gssPort != null)) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--keytab, --principal, --principals and --gss-port are of Kerberos: say --sec krb5, too");
        }
        int contexts = gssPort == null
                ? Export.DEFAULT_GSS_PORT
                : Quantities.number("--gss-port", gssPort, "a port is a number", 0, MAX_PORT);
        return new ExportRequest.Security(sec, file(keytab), text(principal), file(principals), text(domain), contexts);
    }

    /** The path of a file, which the server may open from another directory. */
    private String file(String given) throws CommandException {
        return given == null ? "" : LocalNames.text(invocation().path(given).normalize());
    }

    private static String text(String given) {
        return given == null ? "" : given;
    }

    /** Returns the squash option: by default root is nobody, on loopback too, since every local user can claim it. */
    private String squash() throws CommandException {
        if (noRootSquash && squash != null && !squash.equals("none")) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--no-root-squash and --squash " + Text.printable(squash) + ": choose one");
        }
        if (squash == null) {
            return noRootSquash ? "none" : "root";
        }
        if (!squash.matches("none|root|all")) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--squash " + Text.printable(squash) + ": it is none, root or all");
        }
        return squash;
    }

    /** Requires that whoever opens an export to other hosts says to which. */
    private void requireAllowed() throws CommandException {
        if (allow.isEmpty() && !isLoopback()) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    "--address " + Text.printable(address) + " can be reached from other hosts: say which may connect,"
                            + " by --allow ADDRESS/BITS (as in 192.0.2.0/24), or by --allow any");
        }
    }

    private boolean isLoopback() throws CommandException {
        try {
            return InetAddress.getByName(address).isLoopbackAddress();
        } catch (UnknownHostException e) {
            throw new CommandFailure(ExitStatus.USAGE, "--address " + Text.printable(address) + ": no such address", e);
        }
    }

    /** Checks the name. A client can mount the export as /NAME. */
    private static String checked(String name) throws CommandException {
        if (name.isBlank() || name.contains("/") || name.equals(".") || name.equals("..")) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--name '" + Text.printable(name) + "': it is a name as a directory could have");
        }
        return name;
    }

    private static String defaultName(Path directory) {
        String last = LocalNames.name(directory);
        return last.isEmpty() ? "root" : last;
    }

    static String format(InetSocketAddress address) {
        String host = address.getAddress().getHostAddress();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }
}
