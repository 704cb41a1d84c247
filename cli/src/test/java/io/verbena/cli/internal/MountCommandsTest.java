package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.Export;
import io.verbena.nfs.Mount;
import io.verbena.nfs.UnresponsiveServer;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests the commands for mounts and exports, as a user types them. */
class MountCommandsTest extends ShellTest {
    @Test
    void shouldMountListAndUnmount() throws Exception {
        assertThat(shell.run("nfs:mount -o proto=rdma,port=2050,soft server:/export a"))
                .isEqualTo("mounted server:/export as a\n");
        assertThat(host.configurations().get(Mount.PID + "~a").get(Mount.OPTIONS))
                .isEqualTo("proto=rdma,port=2050,soft");
        assertThat(shell.run("nfs:mounts")).contains("a", "server:/export", "mounted", "vers=4.1, rsize=1048576");
        assertThat(shell.run("nfs:df a:")).contains("server:/export");
        assertThat(shell.run("nfs:unmount a")).isEqualTo("unmounted a\n");
        assertThat(host.configurations()).isEmpty();
        assertThat(shell.run("nfs:mounts")).contains("nothing is mounted");
    }

    @Test
    void shouldReturnFromUnmountingOnceTheMountHasEnded() throws Exception {
        DirectoryMount mount = host.mount("a");

        shell.run("nfs:unmount a");

        assertThat(mount.isAwaited()).isTrue();
    }

    @Test
    void shouldMountFromAnIpv6Address() throws Exception {
        shell.run("nfs:mount '[::1]:/x y' b");

        assertThat(host.configurations().get(Mount.PID + "~b").get(Mount.SERVER))
                .isEqualTo("::1");
        assertThat(host.configurations().get(Mount.PID + "~b").get(Mount.EXPORT))
                .isEqualTo("/x y");
    }

    @Test
    void shouldRefuseWhatCannotBeMounted() throws Exception {
        assertFails("nfs:mount -o rsiz=1 server:/export a").hasMessageContaining("did you mean 'rsize'?");
        assertFails("nfs:mount server a").hasMessageContaining("'server' is no SERVER:/EXPORT");
        assertFails("nfs:mount server:/export 'a/b'").hasMessageContaining("cannot name a mount");
        shell.run("nfs:mount server:/export a");
        assertFails("nfs:mount server:/other a").hasMessageContaining("there is a mount 'a' of server:/export already");
        assertFails("nfs:unmount b").hasMessage("no mount 'b': there is a");
    }

    @Test
    void shouldLeaveNothingOfAMountThatFails() {
        host.hook((operation, path, position) -> {
            throw new IOException("server 192.0.2.1 port 20049 refused the connection");
        });

        assertFails("nfs:mount 192.0.2.1:/x a")
                .hasMessage("cannot mount 192.0.2.1:/x: server 192.0.2.1 port 20049 refused the connection");
        assertThat(host.configurations()).isEmpty();
        assertThat(host.mounts().all()).isEmpty();
    }

    @Test
    void shouldExportListAndUnexport() throws Exception {
        assertThat(shell.run("nfs:export --port 0 --name docs " + local))
                .isEqualTo("exported " + local + " as docs at 127.0.0.1:4711\n");
        assertThat(shell.run("nfs:exports")).contains("docs", "127.0.0.1:4711", "rw", "listening", "clients=1");
        assertFails("nfs:export --name docs " + local).hasMessageContaining("there is an export 'docs' already");
        assertThat(shell.run("nfs:unexport docs")).isEqualTo("unexported docs\n");
        assertFails("nfs:unexport docs").hasMessage("no export 'docs': there is none");
    }

    @Test
    void shouldExportSyncUnlessItIsToldOtherwise() throws Exception {
        shell.run("nfs:export --port 0 --name safe " + local);
        assertThat(sync("safe")).isEqualTo("on");
        shell.run("nfs:export --sync --port 0 --name said " + local);
        assertThat(sync("said")).isEqualTo("on");
        shell.run("nfs:export --async --port 0 --name fast " + local);
        assertThat(sync("fast")).isEqualTo("off");
        assertFails("nfs:export --sync --async --name both " + local)
                .hasMessage("--sync and --async are opposites: choose one");
        assertThat(host.configurations()).doesNotContainKey(Export.PID + "~both");
    }

    @Test
    void shouldSquashRootAndTakeNoSetIdUnlessItIsToldOtherwise() throws Exception {
        shell.run("nfs:export --port 0 --name safe " + local);
        assertThat(key("safe", Export.SQUASH)).isEqualTo("root");
        assertThat(key("safe", Export.NOSUID)).isEqualTo("on");
        assertThat(key("safe", Export.SECURE)).isEqualTo("off");
        assertThat((String[]) key("safe", Export.ALLOW)).isEmpty();
        shell.run("nfs:export --no-root-squash --suid --secure --port 0 --name open " + local);
        assertThat(key("open", Export.SQUASH)).isEqualTo("none");
        assertThat(key("open", Export.NOSUID)).isEqualTo("off");
        assertThat(key("open", Export.SECURE)).isEqualTo("on");
        assertFails("nfs:export --no-root-squash --squash all --name both " + local)
                .hasMessage("--no-root-squash and --squash all: choose one");
        assertFails("nfs:export --nosuid --suid --name both " + local)
                .hasMessage("--nosuid and --suid are opposites: choose one");
    }

    @Test
    void shouldExportToOtherHostsOnlyIfItIsToldToWhich() throws Exception {
        assertFails("nfs:export --address 0.0.0.0 --name docs " + local)
                .hasMessage("--address 0.0.0.0 can be reached from other hosts: say which may connect, by --allow"
                        + " ADDRESS/BITS (as in 192.0.2.0/24), or by --allow any");
        assertThat(host.configurations()).isEmpty();
        shell.run("nfs:export --address 0.0.0.0 --allow 192.0.2.0/24 --allow ::1 --allow-user root --allow-user 1000"
                + " --name docs " + local);
        assertThat((String[]) key("docs", Export.ALLOW)).containsExactly("192.0.2.0/24", "::1");
        assertThat((String[]) key("docs", Export.ALLOW_USER)).containsExactly("root", "1000");
    }

    @Test
    void shouldExportWithKerberos() throws Exception {
        shell.run("nfs:export --sec krb5p:krb5i --keytab " + local + "/a/../keytab --principal nfs/host@EXAMPLE.ORG"
                + " --principals " + local + "/principals --domain example.org --name docs " + local);
        assertThat(key("docs", Export.SEC)).isEqualTo("krb5p:krb5i");
        assertThat(key("docs", Export.KEYTAB)).isEqualTo(local + "/keytab");
        assertThat(key("docs", Export.PRINCIPAL)).isEqualTo("nfs/host@EXAMPLE.ORG");
        assertThat(key("docs", Export.PRINCIPALS)).isEqualTo(local + "/principals");
        assertThat(key("docs", Export.DOMAIN)).isEqualTo("example.org");
        assertThat(key("docs", Export.GSS_PORT)).isEqualTo(Export.DEFAULT_GSS_PORT);
        shell.run("nfs:export --sec krb5 --gss-port 0 --name alone " + local);
        assertThat(key("alone", Export.GSS_PORT)).isEqualTo(0);
        shell.run("nfs:export --name plain " + local);
        assertThat(key("plain", Export.SEC)).isEqualTo("sys");
        assertThat(key("plain", Export.KEYTAB)).isEqualTo("");
        for (String wrong : List.of("krb6", "krb5,sys", "sys:", ":")) {
            assertFails("nfs:export --sec " + wrong + " --name more " + local)
                    .hasMessage("--sec " + wrong + ": it is sys, krb5, krb5i and krb5p, those that are allowed with"
                            + " colons between them");
        }
        assertFails("nfs:export --keytab /k --name more " + local)
                .hasMessage("--keytab, --principal, --principals and --gss-port are of Kerberos: say --sec krb5, too");
    }

    private Object key(String export, String key) {
        return host.configurations().get(Export.PID + "~" + export).get(key);
    }

    private Object sync(String export) {
        return host.configurations().get(Export.PID + "~" + export).get(Export.SYNC);
    }

    @Test
    void shouldLeaveNothingOfAnExportThatFails() throws Exception {
        Path refused = Files.createDirectory(local.resolve("refused"));

        assertFails("nfs:export " + refused).hasMessage("cannot export " + refused + ": address already in use");
        assertFails("nfs:export " + local + "/none").hasMessageContaining("no such directory");
        for (String name : List.of("''", "..", "a/b")) {
            assertFails("nfs:export --name " + name + " " + local).hasMessageContaining("a name as a directory could");
        }
        assertFails("nfs:export --port 70000 " + local).hasMessage("--port 70000: a port is a number from 0 to 65535");
        assertThat(host.configurations()).isEmpty();
    }

    @Test
    void shouldWaitForAMountThatIsBeingReplaced() throws Exception {
        host.mount("a", "swapTimeout=60");
        Files.writeString(served.resolve("x"), "");
        host.takeAway("a");
        CompletableFuture<String> listed = CompletableFuture.supplyAsync(() -> {
            try {
                return shell.run("nfs:ls a:/");
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });

        host.comeBack("a");

        assertThat(listed.get(60, TimeUnit.SECONDS)).isEqualTo("x\n");
    }

    @Test
    void shouldNameTheBundleWhoseMountDoesNotCome() throws Exception {
        host.mount("a", "swapTimeout=1");
        host.takeAway("a");

        assertFails("nfs:ls a:/")
                .hasMessage("mount 'a' has not come within 1 s: is the bundle io.verbena.nfs41.client started?");
    }

    @Test
    void shouldReconnectAndSayToWhat() throws Exception {
        DirectoryMount mount = host.mount("a");
        AtomicInteger asked = new AtomicInteger();
        mount.hook((operation, path, position) -> asked.incrementAndGet());

        assertThat(shell.run("rdma:reconnect a")).matches("reconnected a: version 2, pause \\d+ ms\n");
        assertThat(shell.run("rdma:reconnect --timeout 5 a")).startsWith("reconnected a");
        assertThat(asked).hasValue(2);
        assertFails("rdma:reconnect b").hasMessage("no mount 'b': there is a");
        for (String timeout : List.of("0", "3601", "x", "12345")) {
            assertFails("rdma:reconnect --timeout " + timeout + " a")
                    .hasMessage("--timeout " + timeout + ": it is a number of seconds from 1 to 3600");
        }
        mount.hook((operation, path, position) -> {
            throw new IOException("no provider 'native' came within 30 s: start io.verbena.verbs.native");
        });
        assertFails("rdma:reconnect a")
                .hasMessage("cannot reconnect a: no provider 'native' came within 30 s: start io.verbena.verbs.native");
    }

    @Test
    void shouldShowWhatWasReplacedUnderAMount() throws Exception {
        host.mount("a");

        assertThat(shell.run("nfs:mounts"))
                .contains("Swaps", "2, 7 calls replayed; last: provider", "drain 3 ms")
                .doesNotContain("swaps=", "replayed=", "lastSwap=");
    }

    @Test
    void shouldTellThatAServerIsSilent() throws Exception {
        DirectoryMount mount = host.mount("a");
        mount.silent(new UnresponsiveServer("srv", Instant.now().minusSeconds(1000), Optional.empty()));

        assertThat(shell.run("nfs:mounts"))
                .containsPattern("mounted: server srv silent for 1\\d\\d\\d s, still trying");
        assertThat(shell.run("nfs:mounts --json")).contains("\"silentSince\":\"20");
        mount.silent(null);
        assertThat(shell.run("nfs:mounts")).doesNotContain("silent");
    }

    @Test
    void shouldTellWhichProviderCarriesAMountOrListens() throws Exception {
        shell.run("nfs:mount -o provider=native server:/export a; nfs:export --provider iwarp --name docs " + local);

        assertThat(shell.run("nfs:mounts"))
                .contains("native rxe0 (auto: rxe0 ", " has a route) ")
                .doesNotContain("provider=", "providerChoice=", "device=");
        assertThat(shell.run("nfs:exports")).contains("iwarp (auto: serves");
        assertThat(host.configurations().get(Export.PID + "~docs").get(Export.PROVIDER))
                .isEqualTo("iwarp");
    }

    @Test
    void shouldNameTheProvidersKnown() {
        String known = "no RDMA provider is called 'rxe'; known ones are auto, native, iwarp";
        assertFails("nfs:mount -o provider=rxe server:/export a").hasMessage(known);
        assertFails("nfs:export --provider rxe " + local).hasMessage(known);
        assertThat(host.configurations()).isEmpty();
        providers.addProvider(Map.of(Providers.NAME, "rxe"));
        assertThat(host.mounts().all()).isEmpty();
        assertFails("nfs:mount -o provider=siw server:/export a").hasMessageContaining("auto, native, iwarp, rxe");
    }
}
