package io.verbena.benchmarks;

import io.verbena.nfs41.client.internal.mount.MountUser;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.HostUsers;
import io.verbena.nfs41.server.internal.security.PrincipalMapping;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.rpcsec.gss.internal.GssSecurity;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Map;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/**
 * A realm of Kerberos in a folder: its configuration, a keytab of a user and one of a server on localhost. One process
 * makes it and has its KDC, others use it.
 */
final class Realm {
    private static final String NAME = "BENCHMARK.TEST";
    private static final String USER = "alice@" + NAME;
    private static final String SERVER = "nfs/localhost@" + NAME;

    private final Path folder;
    private final GssSecurity security;

    /** A realm that exists. Sets the configuration of this process. */
    Realm(Path folder) {
        this.folder = folder;
        System.setProperty(
                "java.security.krb5.conf", folder.resolve("krb5.conf").toString());
        security = new GssSecurity(new SystemRuntime());
    }

    /** Makes a realm, whose KDC runs in this process until it ends. */
    static Realm make(Path folder) throws KrbException, IOException {
        SimpleKdcServer kdc = new SimpleKdcServer();
        kdc.setWorkDir(folder.toFile());
        kdc.setKdcRealm(NAME);
        kdc.setKdcHost("localhost");
        kdc.setAllowUdp(false);
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = probe.getLocalPort();
        }
        kdc.setKdcTcpPort(port);
        kdc.init();
        Files.writeString(
                folder.resolve("krb5.conf"),
                """
                [libdefaults]
                default_realm = %1$s
                dns_lookup_kdc = false
                udp_preference_limit = 1
                [realms]
                %1$s = {
                  kdc = localhost:%2$d
                }
                """
                        .formatted(NAME, port));
        kdc.start();
        for (String principal : new String[] {"alice", "nfs/localhost"}) {
            kdc.createPrincipal(principal);
            kdc.exportPrincipal(principal, keytab(folder, principal).toFile());
        }
        return new Realm(folder);
    }

    private static Path keytab(Path folder, String principal) {
        return folder.resolve(principal.replace('/', '-') + ".keytab");
    }

    /** All kinds of security; the realm's user is the owner of a directory. */
    ExportSecurity exportSecurity(Path directory) throws IOException {
        String owner = Files.getAttribute(directory, "unix:uid").toString();
        return ExportSecurity.of(SecurityKind.values())
                .withMapping(new PrincipalMapping(Map.of(USER, owner), NAME, HostUsers.OF_HOST));
    }

    SecurityServer server() throws IOException {
        return security.server(
                security.serverKeytab(keytab(folder, "nfs/localhost"), SERVER),
                "nfs@localhost",
                EnumSet.allOf(ProtectionService.class));
    }

    /** The flavors of mounts. */
    MountUser user() {
        return new MountUser(security, null);
    }

    /** The options of a mount of the realm's user. */
    String options() {
        return "keytab=" + keytab(folder, "alice") + ",principal=" + USER;
    }
}
