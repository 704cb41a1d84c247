package io.verbena.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.server.SimpleKdcServer;

/** A key distribution centre in this process, for programs that tests start. */
final class Kdc implements AutoCloseable {
    static final String REALM = "VERBENA.TEST";

    private final SimpleKdcServer server = new SimpleKdcServer();
    private final Path folder;

    Kdc(Path folder) throws IOException, KrbException {
        this.folder = folder;
        int port = Launcher.freePort();
        server.setWorkDir(folder.toFile());
        server.setKdcRealm(REALM);
        server.setKdcHost("localhost");
        server.setAllowUdp(false);
        server.setKdcTcpPort(port);
        server.init();
        Files.writeString(
                configuration(),
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
                        .formatted(REALM, port));
        server.start();
    }

    /** The krb5.conf of the realm. */
    Path configuration() {
        return folder.resolve("krb5.conf");
    }

    /** Makes a principal, and returns a keytab of its keys. */
    Path principal(String name) throws KrbException {
        server.createPrincipal(name);
        Path keytab = folder.resolve(name.replace('/', '-') + ".keytab");
        server.exportPrincipal(name, keytab.toFile());
        return keytab;
    }

    @Override
    public void close() throws KrbException {
        server.stop();
    }
}
