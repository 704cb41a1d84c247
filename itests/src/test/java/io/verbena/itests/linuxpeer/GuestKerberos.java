package io.verbena.itests.linuxpeer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;

/**
 * Kerberos in a guest: the KDC of the realm {@link #REALM}, and the daemons that the kernel's NFS client and server
 * need. It ends with the guest. From then on, the guest's NFS client asks for Kerberos on all its mounts, so tests with
 * it have a guest of their own.
 */
final class GuestKerberos {
    static final String REALM = "VERBENA.TEST";

    /** The guest's name, which is that of its NFS server; only the guest knows it. */
    static final String PEER = "peer";

    /** A user of the guest who owns the folders that {@link #start} exports, with {@link #ALICE_ID}. */
    static final String ALICE = "alice";

    static final int ALICE_ID = 1000;

    /** The NFS server of the guest for a client on this machine, which reaches it as localhost. */
    static final String LOCALHOST_SERVICE = "nfs/localhost";

    /** The name of this machine in the guest. */
    static final String HOST = "verbena-host";

    /** The service of an NFS server of this machine. */
    static final String HOST_SERVICE = "nfs/" + HOST;

    private static final String SCRIPT = "/peer/kerberos ";
    private static final String LOGIN_MODULE = "com.sun.security.auth.module.Krb5LoginModule";

    private final LinuxGuest guest;
    private final Path folder;

    private GuestKerberos(LinuxGuest guest, Path folder) {
        this.guest = guest;
        this.folder = folder;
    }

    /**
     * Starts Kerberos in the guest, if it is not started yet, and lets this process use its KDC. The JDK reads its
     * configuration once, and again at logins that ask for it, as {@link #login} does; this method logs in once.
     *
     * @param folder an existing folder, where krb5.conf, keytabs and ticket caches are written
     */
    static GuestKerberos start(LinuxGuest guest, Path folder) throws IOException, InterruptedException {
        GuestKerberos kerberos = new GuestKerberos(guest, folder);
        guest.run(SCRIPT + "start");
        System.setProperty(
                "java.security.krb5.conf", kerberos.writeConfiguration().toString());
        try {
            kerberos.login(ALICE);
        } catch (LoginException e) {
            throw new IOException("no login with the guest's KDC", e);
        }
        return kerberos;
    }

    private Path writeConfiguration() throws IOException {
        return Files.writeString(
                folder.resolve("krb5.conf"),
                """
                [libdefaults]
                    default_realm = %1$s
                    dns_lookup_realm = false
                    dns_lookup_kdc = false
                    dns_canonicalize_hostname = false
                    rdns = false
                    udp_preference_limit = 1
                    kdc_timeout = 10000
                    max_retries = 1
                    permitted_enctypes = aes256-cts-hmac-sha1-96 aes128-cts-hmac-sha1-96
                [realms]
                    %1$s = {
                        kdc = 127.0.0.1:%2$d
                    }
                [domain_realm]
                    localhost = %1$s
                    %3$s = %1$s
                """
                        .formatted(REALM, guest.kdc().getPort(), HOST));
    }

    /**
     * Makes a principal with a keytab.
     *
     * @param principal a service such as {@code nfs/name}, or a name, which becomes a user of the guest
     */
    void addPrincipal(String principal) throws IOException, InterruptedException {
        guest.run(SCRIPT + "principal " + principal);
    }

    /** Fetches the keytab of a principal, which has the keys that the principal was made with. */
    Path keytab(String principal) throws IOException, InterruptedException {
        return fetch("keytab", principal);
    }

    /** Fetches a new ticket cache with a ticket-granting ticket. */
    Path ticketCache(String principal) throws IOException, InterruptedException {
        return fetch("ticket-cache", principal);
    }

    private Path fetch(String what, String principal) throws IOException, InterruptedException {
        String content = guest.run(SCRIPT + what + " " + principal);
        Path file = folder.resolve(principal.replace('/', '-') + "." + what);
        return Files.write(file, Base64.getDecoder().decode(content.strip()));
    }

    /** Gets a ticket-granting ticket of the KDC in this process, by the keytab. */
    Subject login(String principal) throws IOException, InterruptedException, LoginException {
        return login(Map.of(
                "refreshKrb5Config", "true",
                "doNotPrompt", "true",
                "useKeyTab", "true",
                "storeKey", "true",
                "keyTab", keytab(principal).toString(),
                "principal", principal + "@" + REALM));
    }

    private static Subject login(Map<String, String> options) throws LoginException {
        Configuration configuration = new Configuration() {
            @Override
            public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                return new AppConfigurationEntry[] {
                    new AppConfigurationEntry(LOGIN_MODULE, LoginModuleControlFlag.REQUIRED, options)
                };
            }
        };
        LoginContext context = new LoginContext("guest", new Subject(), null, configuration);
        context.login();
        return context.getSubject();
    }

    /** Logs in by a ticket cache, without the KDC. */
    Subject login(Path ticketCache, String principal) throws LoginException {
        return login(Map.of(
                "refreshKrb5Config", "true",
                "doNotPrompt", "true",
                "useTicketCache", "true",
                "ticketCache", ticketCache.toString(),
                "principal", principal + "@" + REALM));
    }

    /** Gets a ticket for a user of the guest, for the guest's NFS client. */
    void loginInGuest(String user) throws IOException, InterruptedException {
        guest.run(SCRIPT + "login " + user);
    }

    /**
     * Sets where the guest's NFS client makes its contexts with servers of this machine. It does so over TCP even for
     * mounts over RDMA, at port 2049 until this is set.
     */
    void makeContextsAt(int port) throws IOException, InterruptedException {
        guest.run(SCRIPT + "contexts " + port);
    }

    void stopKdc() throws IOException, InterruptedException {
        guest.run(SCRIPT + "stop-kdc");
    }

    void startKdc() throws IOException, InterruptedException {
        guest.run(SCRIPT + "start-kdc");
    }

    /** Gives a principal a new key, which none of its keytabs has. */
    void changeKey(String principal) throws IOException, InterruptedException {
        guest.run(SCRIPT + "change-key " + principal);
    }

    /** Gives a principal a new key, which its keytab has beside the old ones. */
    void renewKeytab(String principal) throws IOException, InterruptedException {
        String keytab = "/root/kerberos/" + principal.replace('/', '-') + ".keytab";
        guest.run("kadmin.local ktadd -k " + keytab + " " + principal);
    }

    /** Sets the clock of the guest, and so that of its KDC and its server, forward or back. */
    void moveClock(Duration by) throws IOException, InterruptedException {
        guest.run("date -s '" + by.toSeconds() + " seconds'");
    }

    /** Sets how long new tickets live at most. */
    void setLifetime(Duration lifetime) throws IOException, InterruptedException {
        guest.run(SCRIPT + "lifetime " + lifetime.toSeconds());
    }
}
