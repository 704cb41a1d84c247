package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.itests.LongRun;
import io.verbena.itests.Transfer;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.MountUser;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.HostUsers;
import io.verbena.nfs41.server.internal.security.PrincipalMapping;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Our client and our server with Kerberos, in both versions of RPC-over-RDMA, by the KDC of MIT Kerberos. */
@AgainstLinux(alone = true, judged = false)
class KerberosBothEndsIT {
    private static final int SIZE = 3_000_017;
    private static final String PRINCIPAL = GuestKerberos.ALICE + "@" + GuestKerberos.REALM;
    private static final String SERVER = GuestKerberos.LOCALHOST_SERVICE + "@" + GuestKerberos.REALM;

    private final LinuxGuest guest;
    private final VerbenaStack stack = new VerbenaStack();
    private final CountedSecurity security = new CountedSecurity();

    @TempDir
    private Path folder;

    private GuestKerberos kerberos;
    private String alice;
    private Path served;

    KerberosBothEndsIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void start() throws Exception {
        kerberos = GuestKerberos.start(guest, folder);
        alice = ",keytab=" + kerberos.keytab(GuestKerberos.ALICE) + ",principal=" + PRINCIPAL;
        served = Files.createDirectory(folder.resolve("served"));
        Files.setPosixFilePermissions(served, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @AfterEach
    void end() {
        stack.close();
    }

    /** An export that listens. */
    private final class Served implements AutoCloseable {
        private final NfsServer server;
        private final SecurityServer guard;
        private final RpcListener listener;

        Served(int port, SecurityKind... kinds) throws Exception {
            PrincipalMapping mapping =
                    new PrincipalMapping(Map.of(PRINCIPAL, "1000"), GuestKerberos.REALM, HostUsers.OF_HOST);
            ExportSettings settings = ExportSettings.of("kerberos", served)
                    .withSecurity(ExportSecurity.of(kinds).withMapping(mapping));
            server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
            Path keytab = kerberos.keytab(GuestKerberos.LOCALHOST_SERVICE);
            guard = security.server(
                    security.serverKeytab(keytab, SERVER), "nfs@localhost", EnumSet.allOf(ProtectionService.class));
            listener = stack.serve(guard.protect(server), port, Map.of());
        }

        int port() {
            return listener.localAddress().getPort();
        }

        @Override
        public void close() {
            listener.close();
            server.close();
            guard.close();
        }
    }

    private NfsMount mount(Served at, String options) throws IOException {
        return stack.mount("localhost", at.port(), "/", options, new MountUser(security, null));
    }

    private static void writeAndRead(NfsMount mount, String name) throws IOException {
        byte[] octets = new byte[SIZE];
        new Random(SIZE).nextBytes(octets);
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
    @CsvSource({"1,sys", "1,krb5", "1,krb5i", "1,krb5p", "2,sys", "2,krb5", "2,krb5i", "2,krb5p"})
    @Proves({"V1-10.2-1", "ULB-8-1"})
    void shouldReadAndWrite(String version, String kind) throws Exception {
        try (Served at = new Served(0, SecurityKind.values());
                NfsMount mount = mount(at, "soft,nconnect=2,rpcrdma=" + version + ",sec=" + kind + alice)) {
            writeAndRead(mount, kind + version);
            assertThat(mount.settings()).containsEntry("sec", kind).containsEntry("rpcrdma", version);
            Object owner = Files.getAttribute(served.resolve(kind + version), "unix:uid");
            Object own = Files.getAttribute(folder.resolve("krb5.conf"), "unix:uid");
            boolean isProved = !kind.equals("sys") && own.equals(0); // only root can give files to others
            assertThat(owner).isEqualTo(isProved ? GuestKerberos.ALICE_ID : owner);
        }
    }

    @Test
    void shouldTakeWhatTheServerAsksForAndNoLess() throws Exception {
        try (Served at = new Served(0, SecurityKind.KRB5P, SecurityKind.KRB5I)) {
            try (NfsMount mount = mount(at, "soft" + alice)) {
                writeAndRead(mount, "asked");
                assertThat(mount.settings()).containsEntry("sec", "krb5p");
            }
            for (String less : new String[] {"sys", "none", "krb5"}) {
                assertThatThrownBy(() -> mount(at, "soft,sec=" + less + alice))
                        .hasMessageContaining("does not take security 'sec=" + less + "' here: it takes krb5p, krb5i");
            }
        }
    }

    @Test
    void shouldGoOnAfterTheServerHasRestarted() throws Exception {
        Served first = new Served(0, SecurityKind.KRB5P);
        int port = first.port();
        NfsMount mount = mount(first, "hard,sec=krb5p" + alice);
        Transfer transfer = Transfer.write(mount, "/restarted", 1 << 20).awaitUnderWay();
        first.close();
        try (Served second = new Served(port, SecurityKind.KRB5P);
                mount) {
            byte[] last = transfer.finish();
            assertThat(Transfer.sha256(Files.readAllBytes(served.resolve("restarted"))))
                    .isEqualTo(Transfer.sha256(last));
            assertThat(second.port()).isEqualTo(port);
        }
    }

    /** A server's key changes as administrators change it, in the keytab that its export reads. */
    @Test
    void shouldTakeTheKeysOfAKeytabThatChanges() throws Exception {
        try (Served at = new Served(0, SecurityKind.KRB5P);
                NfsMount before = mount(at, "hard,sec=krb5p" + alice)) {
            writeAndRead(before, "before");
            kerberos.renewKeytab(GuestKerberos.LOCALHOST_SERVICE);
            assertThatThrownBy(() -> mount(at, "soft,sec=krb5p" + alice))
                    .hasMessageContaining("the server refuses the user's proof")
                    .hasMessageContaining("look at its keytab");

            Path unused = kerberos.keytab(GuestKerberos.LOCALHOST_SERVICE); // in the place of the old one

            try (NfsMount after = mount(at, "soft,sec=krb5p" + alice)) {
                writeAndRead(after, "after");
            }
            writeAndRead(before, "by-the-old-context");
        }
    }

    @Test
    @LongRun
    void shouldRenewTicketsInMidTransfer() throws Exception {
        kerberos.setLifetime(Duration.ofSeconds(20));
        try (Served at = new Served(0, SecurityKind.KRB5I);
                NfsMount mount = mount(at, "hard,rpcrdma=2,sec=krb5i" + alice)) {
            Transfer transfer = Transfer.write(mount, "/renewed", 1 << 20);
            security.await(3);
            byte[] last = transfer.finish();
            assertThat(Transfer.sha256(Files.readAllBytes(served.resolve("renewed"))))
                    .isEqualTo(Transfer.sha256(last));
        } finally {
            kerberos.setLifetime(Duration.ofDays(1));
        }
    }
}
