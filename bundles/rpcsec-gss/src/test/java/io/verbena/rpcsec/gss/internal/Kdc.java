package io.verbena.rpcsec.gss.internal;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A key distribution centre in this process, and the JDK's configuration for it. */
final class Kdc implements AutoCloseable {
    static final String REALM = "VERBENA.TEST";
    static final String SERVICE = "nfs/localhost@" + REALM;

    private final SimpleKdcServer server;
    private final Path folder;

    Kdc(Path folder) throws Exception {
        this.folder = folder;
        server = new SimpleKdcServer();
        server.setWorkDir(folder.toFile());
        server.setKdcRealm(REALM);
        server.setKdcHost("localhost");
        server.setAllowUdp(false);
        int port = freePort();
        server.setKdcTcpPort(port);
        server.init();
        Path configuration = folder.resolve("krb5.conf");
        Files.writeString(
                configuration,
                """
                [libdefaults]
                default_realm = %s
                dns_lookup_kdc = false
                udp_preference_limit = 1
                [realms]
                %s = {
                  kdc = localhost:%d
                }
                """
                        .formatted(REALM, REALM, port));
        System.setProperty("java.security.krb5.conf", configuration.toString());
        server.start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }

    /** Makes a principal, and returns a keytab of its keys. */
    Path principal(String name) throws KrbException {
        server.createPrincipal(name);
        Path keytab = folder.resolve(name.replaceAll("[/@]", "-") + ".keytab");
        server.exportPrincipal(name, keytab.toFile());
        return keytab;
    }

    @Override
    public void close() throws KrbException {
        server.stop();
    }
}
