package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A user claims to be root, or another user, and makes a program that runs as that one. */
class SetIdTest extends ServerFixture {
    @Override
    ExportSettings settings() {
        return ExportSettings.of("docs", directory); // the defaults
    }

    @BeforeEach
    void letAllWrite() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private boolean isServerRoot() throws IOException {
        return Files.getAttribute(directory, "unix:uid").equals(0);
    }

    private int mode(String name) throws IOException {
        return (int) Files.getAttribute(directory.resolve(name), "unix:mode") & 07777;
    }

    private static Attributes mode(int mode) {
        return Attributes.builder().put(Attribute.MODE, mode).build();
    }

    @Test
    void shouldMakeNoProgramOfRootForAUserWhoClaimsToBeRoot() throws Exception {
        Opened file = client.opened("program", 3, 0, unchecked(06755));
        assertThat(mode("program")).isEqualTo(0755);
        if (isServerRoot()) {
            assertThat(Files.getAttribute(directory.resolve("program"), "unix:uid"))
                    .isEqualTo(65534);
        }
        assertThat(client.setAttributes(file.handle(), mode(06711))).isEqualTo(Status.NFS4_OK);
        assertThat(mode("program")).isEqualTo(0711);
    }

    @Test
    void shouldMakeNoProgramOfAUserWhomAnotherOneClaimsToBe() throws Exception {
        client.as(4711, 4712);
        Opened file = client.opened("program", 3, 0, unchecked(06755));
        assertThat(mode("program")).isEqualTo(0755);
        if (isServerRoot()) { // else the file is the server's own user's
            assertThat(client.setAttributes(file.handle(), mode(06711))).isEqualTo(Status.NFS4_OK);
            assertThat(mode("program")).isEqualTo(0711);
        }
    }

    @Test
    void shouldNotLetRootsFilesBeChangedByAUserWhoClaimsToBeRoot() throws Exception {
        Files.writeString(directory.resolve("root's"), "root's");
        Files.setPosixFilePermissions(directory.resolve("root's"), PosixFilePermissions.fromString("rw-r--r--"));
        FileHandle handle = client.handle("root's");
        if (isServerRoot()) {
            assertThat(client.setAttributes(handle, mode(04755))).isEqualTo(Status.NFS4ERR_PERM);
        }
        assertThat(mode("root's")).isEqualTo(0644);
    }

    @Test
    void shouldKeepTheSetGroupIdBitOfDirectories() throws Exception {
        client.as(4711, 4712);
        Files.createDirectory(directory.resolve("shared"));
        if (isServerRoot()) {
            Files.setAttribute(directory.resolve("shared"), "unix:uid", 4711);
            Files.setAttribute(directory.resolve("shared"), "unix:gid", 4712);
            assertThat(client.setAttributes(client.handle("shared"), mode(02775)))
                    .isEqualTo(Status.NFS4_OK);
            assertThat(mode("shared")).isEqualTo(02775);
        }
    }

    @Test
    void shouldTakeThemFromRootThatIsNotSquashedAndFromAllWhereThatIsTurnedOn() throws Exception {
        restart(settings().withSquash(new Squash(Squash.Mode.NONE, 65534, 65534)));
        clock.addAndGet(settings().grace().toNanos() + 1);
        client = TestClient.connected(server, "first");
        client.opened("root's", 3, 0, unchecked(06755));
        assertThat(mode("root's")).isEqualTo(isServerRoot() ? 06755 : 0755);
        restart(settings().withSetId(true));
        clock.addAndGet(settings().grace().toNanos() + 1);
        client = TestClient.connected(server, "second").as(4711, 4712);
        client.opened("user's", 3, 0, unchecked(06755));
        assertThat(mode("user's")).isEqualTo(06755);
    }

    @Test
    void shouldRefuseRequestsOfUsersThatAreNotNamed() throws Exception {
        restart(settings().withAccess(settings().access().withUsers(List.of("4711"))));
        FakeRequest refused = new FakeRequest(TestClient.ROOT, 1, new XdrWriter());
        server.handle(refused);
        assertThat(refused.outcome()).isEqualTo("AUTH_REJECTEDCRED");
        assertThat(server.counters()).containsEntry("clients", 0L);
        new TestClient(server, "named").as(4711, 4712).begun();
    }
}
