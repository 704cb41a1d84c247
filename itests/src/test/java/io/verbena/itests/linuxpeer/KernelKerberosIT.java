package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.VerbenaStack;
import io.verbena.nfs41.server.internal.NfsServer;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.HostUsers;
import io.verbena.nfs41.server.internal.security.PrincipalMapping;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import io.verbena.rpc.RpcListener;
import io.verbena.rpc.RpcProgram;
import io.verbena.rpc.security.ProtectionService;
import io.verbena.rpc.security.SecurityServer;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Linux's client on our export with Kerberos: rpc.gssd makes its contexts over TCP, the kernel uses them over RDMA. */
@AgainstLinux(alone = true, judged = false)
class KernelKerberosIT {
    private static final String ALICE = GuestKerberos.ALICE + "@" + GuestKerberos.REALM;
    private static final String SERVER = GuestKerberos.HOST_SERVICE + "@" + GuestKerberos.REALM;
    private static final String AS_ALICE =
            "setpriv --reuid " + GuestKerberos.ALICE_ID + " --regid " + GuestKerberos.ALICE_ID + " --clear-groups ";

    private final LinuxGuest guest;
    private final VerbenaStack stack = new VerbenaStack();
    private final CountedSecurity security = new CountedSecurity();

    @TempDir
    private Path folder;

    private GuestKerberos kerberos;
    private Path served;

    KernelKerberosIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void start() throws Exception {
        kerberos = GuestKerberos.start(guest, folder);
        kerberos.loginInGuest(GuestKerberos.ALICE);
        guest.run("head -c 3000017 /dev/urandom > /tmp/random; chmod 644 /tmp/random");
        served = Files.createDirectory(folder.resolve("served"));
        Files.setPosixFilePermissions(served, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @AfterEach
    void end() {
        stack.close();
    }

    /** An export that listens, and takes contexts at the port where the guest makes them. */
    private final class Served implements AutoCloseable {
        private final NfsServer server;
        private final SecurityServer guard;
        private final RpcListener listener;

        Served(int port, int contexts, SecurityKind... kinds) throws Exception {
            PrincipalMapping mapping = new PrincipalMapping(
                    Map.of(ALICE, Integer.toString(GuestKerberos.ALICE_ID)), GuestKerberos.REALM, HostUsers.OF_HOST);
            ExportSettings settings = ExportSettings.of("kerberos", served)
                    .withSecurity(ExportSecurity.of(kinds).withMapping(mapping));
            server = new NfsServer(settings, folder.resolve("state"), new SystemRuntime());
            Path keytab = kerberos.keytab(GuestKerberos.HOST_SERVICE);
            guard = security.server(
                    security.serverKeytab(keytab, SERVER),
                    "nfs@" + GuestKerberos.HOST,
                    EnumSet.allOf(ProtectionService.class));
            RpcProgram guarded = guard.protect(server);
            guard.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), contexts), guarded);
            listener = stack.serve(guarded, port, Map.of());
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

    /** Picks a port, and has the guest make its contexts there. */
    private int contexts() throws Exception {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            kerberos.makeContextsAt(probe.getLocalPort());
            return probe.getLocalPort();
        }
    }

    private GuestMount mount(Served at, String options) throws IOException, InterruptedException {
        return new GuestMount(guest, "kerberos", GuestKerberos.HOST, at.port(), options);
    }

    private String flavor(GuestMount mount) throws IOException, InterruptedException {
        return guest.run("sed -n 's#.* " + mount.path() + " nfs4 .*[,]sec=\\([^,]*\\),.*#\\1#p' /proc/mounts")
                .strip();
    }

    private int owner(String name) throws IOException {
        return (int) Files.getAttribute(served.resolve(name), "unix:uid");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sys", "krb5", "krb5i", "krb5p"})
    void shouldReadAndWrite(String kind) throws Exception {
        try (Served at = new Served(0, contexts(), SecurityKind.values());
                GuestMount mount = mount(at, "sec=" + kind)) {
            mount.run("echo machine > machines; " + AS_ALICE
                    + "sh -c 'echo alice > alices; cp /tmp/random .; cat alices machines'; cat alices");
            mount.run("dd if=random iflag=direct bs=256K status=none | cmp - /tmp/random");
            mount.run(AS_ALICE + "sh -c 'mkdir many; cd many; for i in $(seq 100); do echo $i > $i; done; cat *"
                    + " | wc -l; rm -r ../many'");

            assertThat(flavor(mount)).isEqualTo(kind);
            assertThat(Files.readString(served.resolve("machines"))).isEqualTo("machine\n");
            assertThat(Files.readString(served.resolve("alices"))).isEqualTo("alice\n");
            assertThat(owner("machines")).isNotZero().isNotEqualTo(GuestKerberos.ALICE_ID);
            assertThat(owner("alices")).isEqualTo(GuestKerberos.ALICE_ID);
            assertThat(owner("random")).isEqualTo(GuestKerberos.ALICE_ID);
            mount.unmount();
        }
    }

    @Test
    void shouldTakeWhatTheExportAsksFor() throws Exception {
        try (Served at = new Served(0, contexts(), SecurityKind.KRB5P);
                GuestMount mount = mount(at, "")) {
            mount.run(AS_ALICE + "sh -c 'echo alice > asked; cat asked'");
            assertThat(flavor(mount)).isEqualTo("krb5p");
            assertThat(owner("asked")).isEqualTo(GuestKerberos.ALICE_ID);
            mount.unmount();
        }
    }

    @Test
    void shouldGoOnWithNewContextsAfterARestart() throws Exception {
        int contexts = contexts();
        Served first = new Served(0, contexts, SecurityKind.KRB5P);
        int port = first.port();
        GuestMount mount = mount(first, "hard,sec=krb5p");
        mount.run(AS_ALICE + "sh -c 'echo before > restarted'");
        Process writes = mount.start(AS_ALICE
                + "sh -c 'for i in $(seq 40); do dd if=/tmp/random of=part bs=64k count=4 oflag=sync status=none;"
                + " echo $i >> restarted; done'");
        while (Files.readString(served.resolve("restarted")).lines().count() < 3) {
            assertThat(writes.isAlive()).isTrue();
            Thread.onSpinWait();
        }
        first.close();
        try (Served second = new Served(port, contexts, SecurityKind.KRB5P)) {
            try (mount) { // before the server ends, which a hard mount would wait for
                assertThat(writes.waitFor(90, TimeUnit.SECONDS)).isTrue();
                assertThat(writes.exitValue()).isZero();
                assertThat(Files.readAllLines(served.resolve("restarted"))).hasSize(41);
                assertThat(second.port()).isEqualTo(port);
                mount.unmount();
            }
        }
    }
}
