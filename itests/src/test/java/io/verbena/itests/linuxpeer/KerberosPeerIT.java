package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import javax.security.auth.Subject;
import javax.security.auth.kerberos.KerberosTicket;
import javax.security.auth.login.LoginException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Linux's client and Linux's server with Kerberos, and this process with the guest's KDC: what other tests rest on. */
@AgainstLinux(judged = false, alone = true)
class KerberosPeerIT {
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int NFS_PORT = 20049;
    private static final String AS_ALICE = "setpriv --reuid 1000 --regid 1000 --clear-groups ";

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private GuestKerberos kerberos;

    KerberosPeerIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void start() throws Exception {
        kerberos = GuestKerberos.start(guest, folder);
    }

    @ParameterizedTest
    @ValueSource(strings = {"krb5", "krb5i", "krb5p"})
    void shouldReadAndWriteOverRdma(String flavor) throws Exception {
        kerberos.loginInGuest(GuestKerberos.ALICE);
        guest.run("head -c 3000017 /dev/urandom > /tmp/random; chmod 644 /tmp/random");
        GuestMount mount = new GuestMount(guest, flavor, GuestKerberos.PEER, NFS_PORT, "sec=" + flavor);
        try (mount) {
            mount.run("cd " + flavor + "; echo machine > machines; " + AS_ALICE
                    + "sh -c 'echo alice > alices; cp /tmp/random .; cat alices machines'; cat alices");
            mount.run("cd " + flavor + "; dd if=random iflag=direct bs=256K status=none | cmp - /tmp/random");

            assertThat(mount.run("cd " + flavor + "; stat -c '%n %U' alices machines random"))
                    .isEqualTo(
                            """
                            alices alice
                            machines nobody
                            random alice
                            """);
            assertThat(guest.run("cd /export/" + flavor + "; stat -c '%n %u' alices; cat alices machines"
                            + "; cmp random /tmp/random; rm alices machines random"))
                    .isEqualTo("alices " + GuestKerberos.ALICE_ID + "\nalice\nmachine\n");
            assertThat(guest.run("grep ' " + mount.path() + " ' /proc/mounts"))
                    .contains("proto=rdma", "sec=" + flavor + ",");
            guest.run("umount " + mount.path() + "/" + flavor);
            mount.unmount();
        }
    }

    @Test
    void shouldTakeTheFlavorOfAnExportOnly() throws Exception {
        for (String flavor : new String[] {"sys", "krb5"}) {
            assertThat(guest.tryRun(
                                    "mkdir -p /mnt/refused; mount -t nfs -o vers=4.1,proto=rdma,port=20049,sec="
                                            + flavor + " peer:/krb5p /mnt/refused",
                                    LIMIT)
                            .output())
                    .as(flavor)
                    .contains("Operation not permitted");
        }
    }

    @Test
    void shouldLogInOnThisMachine() throws Exception {
        Subject byKeytab = kerberos.login(GuestKerberos.ALICE);
        Subject byCache = kerberos.login(kerberos.ticketCache(GuestKerberos.HOST_SERVICE), GuestKerberos.HOST_SERVICE);

        assertThat(ticket(byKeytab).getClient()).hasToString("alice@VERBENA.TEST");
        assertThat(ticket(byKeytab).getServer()).hasToString("krbtgt/VERBENA.TEST@VERBENA.TEST");
        assertThat(ticket(byCache).getClient()).hasToString("nfs/verbena-host@VERBENA.TEST");
        assertThat(Files.size(kerberos.keytab(GuestKerberos.LOCALHOST_SERVICE))).isPositive();
    }

    private static KerberosTicket ticket(Subject subject) {
        return subject.getPrivateCredentials(KerberosTicket.class).iterator().next();
    }

    @Test
    void shouldFailWithoutKdc() throws Exception {
        kerberos.stopKdc();
        try {
            assertThatThrownBy(() -> kerberos.login(GuestKerberos.ALICE)).isInstanceOf(LoginException.class);
        } finally {
            kerberos.startKdc();
        }
        assertThat(ticket(kerberos.login(GuestKerberos.ALICE)).isCurrent()).isTrue();
    }

    @Test
    void shouldRefuseAnOldKey() throws Exception {
        kerberos.addPrincipal("carol");
        kerberos.login("carol");

        kerberos.changeKey("carol");

        assertThatThrownBy(() -> kerberos.login("carol")).isInstanceOf(LoginException.class);
    }

    @Test
    void shouldLimitTheLifeOfTickets() throws Exception {
        kerberos.setLifetime(Duration.ofSeconds(90));
        try {
            KerberosTicket ticket = ticket(kerberos.login(GuestKerberos.ALICE));

            Instant end = ticket.getEndTime().toInstant();
            assertThat(Duration.between(ticket.getAuthTime().toInstant(), end)).isEqualTo(Duration.ofSeconds(90));
            assertThat(Duration.between(Instant.now(), end)).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(100));
        } finally {
            kerberos.setLifetime(DAY);
        }
    }
}
