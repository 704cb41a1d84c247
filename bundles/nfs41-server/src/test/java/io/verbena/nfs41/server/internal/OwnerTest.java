package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.NVerify;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Verify;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Owners as names (RFC 8881 section 5.9). */
class OwnerTest extends SecurityFixture {
    private final Map<String, Boolean> threads = new ConcurrentHashMap<>();
    private TestClient caller;
    private Path file;
    private FileHandle handle;

    @BeforeEach
    void makeFile() throws Exception {
        file = Files.createFile(directory.resolve("file"));
        Files.createDirectory(directory.resolve("folder"));
        caller = connected("caller", ROOT, PRIVACY);
        handle = caller.handle("file");
        assumeThat(Files.getAttribute(file, "unix:uid"))
                .as("the tests run as root")
                .isEqualTo(0);
        users.onLookUp(() -> threads.put(Thread.currentThread().getName(), true));
    }

    private void requireWorkersAlone() {
        assertThat(threads)
                .isNotEmpty()
                .doesNotContainKey(Thread.currentThread().getName());
    }

    private String owner() throws Exception {
        Attributes read = caller.attributesOf(handle, Attribute.OWNER, Attribute.OWNER_GROUP);
        return read.get(Attribute.OWNER) + " " + read.get(Attribute.OWNER_GROUP);
    }

    private static Attributes owners(String owner, String group) {
        return Attributes.builder()
                .put(Attribute.OWNER, owner)
                .put(Attribute.OWNER_GROUP, group)
                .build();
    }

    @Test
    void shouldTellOwnersByName() throws Exception {
        assertThat(owner()).isEqualTo("root@example.org root@example.org");
        int before = users.lookUps.get();
        assertThat(owner()).isEqualTo("root@example.org root@example.org");
        assertThat(users.lookUps).hasValue(before);
        Files.setAttribute(file, "unix:uid", 4_000_000, LinkOption.NOFOLLOW_LINKS);
        assertThat(owner()).isEqualTo("4000000 root@example.org");
        requireWorkersAlone();
    }

    @Test
    void shouldTellNumbersWhereTheHostCannotTell() throws Exception {
        users.down(true);
        assertThat(owner()).isEqualTo("0 0");
    }

    @Test
    void shouldTakeOwnersByNameAndByNumber() throws Exception {
        assertThat(caller.setAttributes(handle, owners("alice@example.org", "staff@EXAMPLE.org")))
                .isEqualTo(Status.NFS4_OK);
        assertThat(Files.getAttribute(file, "unix:uid")).isEqualTo(1000);
        assertThat(Files.getAttribute(file, "unix:gid")).isEqualTo(50);
        assertThat(owner()).isEqualTo("alice@example.org staff@example.org");
        assertThat(caller.setAttributes(handle, owners("7", "8"))).isEqualTo(Status.NFS4_OK);
        assertThat(owner()).isEqualTo("7 8");
        requireWorkersAlone();
    }

    @Test
    void shouldRefuseOwnersThatNobodyKnows() throws Exception {
        for (String owner : new String[] {
            "bob@example.org", "alice@example.com", "alice", "@example.org", "alice@", "4294967295", ""
        }) {
            assertThat(caller.setAttributes(handle, owners(owner, "0")))
                    .as(owner)
                    .isEqualTo(Status.NFS4ERR_BADOWNER);
            assertThat(caller.setAttributes(handle, owners("0", owner)))
                    .as(owner)
                    .isEqualTo(Status.NFS4ERR_BADOWNER);
        }
        users.down(true);
        assertThat(caller.setAttributes(handle, owners("alice@example.org", "0")))
                .isEqualTo(Status.NFS4ERR_DELAY);
        assertThat(owner()).startsWith("0 ");
    }

    @Test
    void shouldMakeObjectsForOwnersByName() throws Exception {
        Attributes alice = owners("alice@example.org", "users@example.org");
        caller.inSession(root(), out -> Create.encodeArgs(out, Create.directory("made", alice)))
                .ok(Opcode.PUTROOTFH, Opcode.CREATE);
        assertThat(Files.getAttribute(directory.resolve("made"), "unix:uid")).isEqualTo(1000);
        caller.opened("new", Open.SHARE_ACCESS_WRITE, 0, new OpenHow.Guarded(alice));
        assertThat(Files.getAttribute(directory.resolve("new"), "unix:gid")).isEqualTo(100);
        Attributes bob = owners("bob@example.org", "0");
        assertThat(caller.inSession(root(), out -> Create.encodeArgs(out, Create.directory("none", bob)))
                        .status())
                .isEqualTo(Status.NFS4ERR_BADOWNER);
        assertThat(caller.statusOfOpen("none", Open.SHARE_ACCESS_WRITE, 0, new OpenHow.Guarded(bob)))
                .isEqualTo(Status.NFS4ERR_BADOWNER);
        requireWorkersAlone();
    }

    @Test
    void shouldListAndCompareOwnersByName() throws Exception {
        Reply page = caller.inSession(
                root(),
                out -> ReadDir.encodeArgs(out, new ReadDir.Args(0, 0, 4000, 4000, AttributeMask.of(Attribute.OWNER))));
        page.ok(Opcode.PUTROOTFH, Opcode.READDIR);
        assertThat(ReadDir.decodeResult(page.in).entries()).hasSize(2).allMatch(each -> "root@example.org"
                .equals(each.attributes().get(Attribute.OWNER)));
        Attributes same = owners("root@example.org", "root@example.org");
        caller.inSession(TestClient.fh(handle), out -> Verify.encodeArgs(out, new Verify.Args(same)))
                .ok(Opcode.PUTFH, Opcode.VERIFY);
        caller.inSession(TestClient.fh(handle), out -> NVerify.encodeArgs(out, new NVerify.Args(same)))
                .ok(Opcode.PUTFH)
                .expect(Opcode.NVERIFY, Status.NFS4ERR_SAME);
        requireWorkersAlone();
    }

    @Test
    void shouldTellNumbersWithoutADomain() throws Exception {
        restart(super.settings().withSecurity(ExportSecurity.SYS));
        caller = TestClient.connected(server, "plain");
        handle = caller.handle("file");
        assertThat(owner()).isEqualTo("0 0");
        assertThat(caller.setAttributes(handle, owners("alice@example.org", "0")))
                .isEqualTo(Status.NFS4ERR_BADOWNER);
        assertThat(threads).isEmpty();
    }
}
