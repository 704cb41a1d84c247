package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.itests.Transfer;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.MountUser;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our client with Kerberos against Linux's server, by the KDC of MIT Kerberos. */
@AgainstLinux(alone = true, judged = false)
class KnfsdKerberosIT {
    private static final int SIZE = 3_000_017;
    private static final Duration DAY = Duration.ofDays(1);

    /** Kerberos forgives five minutes. */
    private static final Duration SKEW = Duration.ofMinutes(10);

    private final LinuxGuest guest;
    private final VerbenaStack stack = new VerbenaStack();
    private final CountedSecurity security = new CountedSecurity();

    @TempDir
    private Path folder;

    private GuestKerberos kerberos;
    private String alice;

    KnfsdKerberosIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void start() throws Exception {
        kerberos = GuestKerberos.start(guest, folder);
        alice = ",keytab=" + kerberos.keytab(GuestKerberos.ALICE) + ",principal=" + GuestKerberos.ALICE + "@"
                + GuestKerberos.REALM;
    }

    @AfterEach
    void end() throws Exception {
        stack.close();
        guest.run("rm -rf /export/krb5/* /export/krb5i/* /export/krb5p/*");
        kerberos.startKdc();
        kerberos.setLifetime(DAY);
    }

    private NfsMount mount(String export, String options) throws IOException {
        return stack.mount("localhost", guest.nfs().getPort(), export, options, new MountUser(security, null));
    }

    private static byte[] random(int size) {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        return octets;
    }

    private void writeAndRead(NfsMount mount, String name) throws Exception {
        byte[] octets = random(SIZE);
        Set<StandardOpenOption> made =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        try (RemoteFile file = mount.open("/" + name, made, 0644)) {
            file.write(ByteBuffer.wrap(octets), 0);
            file.sync();
            ByteBuffer read = ByteBuffer.allocateDirect(SIZE);
            assertThat(file.read(read, 0)).isEqualTo(SIZE);
            assertThat(read.flip()).isEqualTo(ByteBuffer.wrap(octets));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"krb5", "krb5i", "krb5p"})
    @Proves({"V1-10.2-1", "ULB-8-1"})
    void shouldReadAndWriteAsTheUserOfTheTicket(String kind) throws Exception {
        for (String options : new String[] {"soft", "soft,nconnect=2"}) {
            try (NfsMount mount = mount("/" + kind, options + ",sec=" + kind + alice)) {
                writeAndRead(mount, "written");
                assertThat(mount.settings()).containsEntry("sec", kind);
                assertThat(guest.run("cd /export/" + kind + "; stat -c '%n %u %s' written; rm written"))
                        .isEqualTo("written " + GuestKerberos.ALICE_ID + " " + SIZE + "\n");
                mount.createDirectory("/made", 0755);
                mount.remove("/made");
            }
        }
    }

    @Test
    void shouldTakeWhatTheServerAsksFor() throws Exception {
        try (NfsMount mount = mount("/krb5p", "soft" + alice)) {
            assertThat(mount.settings()).containsEntry("sec", "krb5p");
            writeAndRead(mount, "written");
        }
        try (NfsMount mount = mount("/", "soft" + alice)) {
            assertThat(mount.settings()).containsEntry("sec", "sys");
        }
    }

    @Test
    void shouldTakeNoLessThanItWasToldTo() throws Exception {
        assertThatThrownBy(() -> mount("/krb5", "soft,sec=krb5p" + alice))
                .hasMessageContaining("does not take security 'sec=krb5p' here: it takes krb5");
        assertThatThrownBy(() -> mount("/krb5p", "soft,sec=sys"))
                .hasMessageContaining("does not take security 'sec=sys' here: it takes krb5p");
    }

    @Test
    void shouldSayWhatIsMissing() throws Exception {
        assertThatThrownBy(() -> mount("/krb5", "soft,sec=krb5,ccache=" + folder.resolve("none")))
                .hasMessageContaining("has no ticket")
                .hasMessageContaining("run kinit");
        assertThatThrownBy(() -> mount("/krb5", "soft,ccache=" + folder.resolve("none")))
                .hasMessageContaining("it takes krb5 (krb5: ")
                .hasMessageContaining("run kinit");
        assertThatThrownBy(() -> mount(
                        "/krb5",
                        "soft,sec=krb5,principal=bob@" + GuestKerberos.REALM + ",keytab="
                                + kerberos.keytab(GuestKerberos.ALICE)))
                .hasMessageContaining("no login as bob@" + GuestKerberos.REALM);
        Path cache = kerberos.ticketCache(GuestKerberos.ALICE);
        assertThatThrownBy(() -> stack.mount(
                        "127.0.0.2",
                        guest.nfs().getPort(),
                        "/krb5",
                        "soft,timeo=50,sec=krb5,ccache=" + cache,
                        new MountUser(security, null)))
                .isInstanceOf(IOException.class);
        try (NfsMount mount = mount("/krb5", "soft,sec=krb5,ccache=" + cache)) {
            writeAndRead(mount, "by-ticket");
        }
    }

    /** The guest's clock is ahead: that of the key distribution centre, and that of the server. */
    @Test
    void shouldNameTheClock() throws Exception {
        Path cache = kerberos.ticketCache(GuestKerberos.ALICE);
        MountUser subject = new MountUser(security, kerberos.login(GuestKerberos.ALICE));
        int port = guest.nfs().getPort();
        stack.mount("localhost", port, "/krb5p", "soft,sec=krb5p", subject).close(); // the subject has the ticket now

        kerberos.moveClock(SKEW);
        try {
            assertThatThrownBy(() -> mount("/krb5p", "soft,sec=krb5p" + alice))
                    .hasMessageContaining("no login as alice")
                    .hasMessageContaining("the clocks of this host and of the key distribution centre differ too much")
                    .hasMessageContaining("set the clock");
            assertThatThrownBy(() -> mount("/krb5p", "soft,sec=krb5p,ccache=" + cache))
                    .hasMessageContaining("the clocks of this host and of the key distribution centre differ too much")
                    .hasMessageContaining("set the clock");
            assertThatThrownBy(() -> stack.mount("localhost", port, "/krb5p", "soft,sec=krb5p", subject))
                    .hasMessageContaining("the server refuses the user's proof")
                    .hasMessageContaining("its clock");
        } finally {
            kerberos.moveClock(SKEW.negated());
        }

        for (String user : new String[] {alice, ",ccache=" + cache}) {
            try (NfsMount mount = mount("/krb5p", "soft,sec=krb5p" + user)) {
                writeAndRead(mount, "written");
            }
        }
    }

    @Test
    void shouldTakeASubject() throws Exception {
        MountUser user = new MountUser(security, kerberos.login(GuestKerberos.ALICE));
        try (NfsMount mount = stack.mount("localhost", guest.nfs().getPort(), "/krb5i", "soft,sec=krb5i", user)) {
            writeAndRead(mount, "by-subject");
        }
    }

    /** Contexts are made again by new tickets, in the middle of transfers and with their data unharmed. */
    @Test
    void shouldRenewTicketsInMidTransfer() throws Exception {
        kerberos.setLifetime(Duration.ofSeconds(20));
        try (NfsMount mount = mount("/krb5p", "hard,sec=krb5p" + alice)) {
            Transfer transfer = Transfer.write(mount, "/renewed", 1 << 20);
            security.await(3);
            byte[] last = transfer.finish();
            assertThat(guest.run("sha256sum /export/krb5p/renewed")).startsWith(Transfer.sha256(last));
        }
    }

    private void forgetContexts() throws IOException, InterruptedException {
        guest.run("echo 1 > /proc/net/rpc/auth.rpcsec.context/flush");
    }

    @ParameterizedTest
    @ValueSource(strings = {"krb5", "krb5i", "krb5p"})
    void shouldGoOnAfterTheServerHasForgottenItsContexts(String kind) throws Exception {
        try (NfsMount mount = mount("/" + kind, "hard,sec=" + kind + alice)) {
            Transfer transfer = Transfer.write(mount, "/forgotten", 1 << 20).awaitUnderWay();
            for (int i = 0; i < 3; i++) {
                security.restart();
                forgetContexts();
                security.await(1);
            }
            byte[] last = transfer.finish();
            assertThat(guest.run("sha256sum /export/" + kind + "/forgotten")).startsWith(Transfer.sha256(last));
        }
    }

    @Test
    void shouldGoOnAfterTheServerHasRestarted() throws Exception {
        Knfsd knfsd = new Knfsd(guest);
        try (NfsMount mount = mount("/krb5p", "hard,sec=krb5p" + alice)) {
            Transfer transfer = Transfer.write(mount, "/restarted", 1 << 20).awaitUnderWay();
            knfsd.stop();
            knfsd.start();
            byte[] last = transfer.finish();
            assertThat(guest.run("sha256sum /export/krb5p/restarted")).startsWith(Transfer.sha256(last));
        }
    }

    /** A context that stands needs no KDC; one that is to be made waits for it. */
    @Test
    void shouldWaitForTheKdc() throws Exception {
        try (NfsMount mount = mount("/krb5i", "hard,sec=krb5i" + alice)) {
            writeAndRead(mount, "before");
            kerberos.stopKdc();
            writeAndRead(mount, "meanwhile");
            forgetContexts();
            Transfer transfer = Transfer.write(mount, "/after", 1 << 16);
            kerberos.startKdc();
            byte[] last = transfer.finish();
            assertThat(guest.run("sha256sum /export/krb5i/after")).startsWith(Transfer.sha256(last));
        }
    }
}
