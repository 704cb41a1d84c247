package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A file without a name is there as long as a client has it open (RFC 8881 section 18.16.3). */
class PreserveUnlinkedTest extends ServerFixture {
    private static final OpenHow EXISTING = new OpenHow.NoCreate();

    private TestClient other;

    @BeforeEach
    void another() throws Exception {
        other = TestClient.connected(server, "other");
    }

    private Opened made(String name) throws Exception {
        Opened made = client.opened(name, 3, 0, unchecked(0644));
        client.write(made, 0, "content", StableHow.UNSTABLE4);
        return made;
    }

    private static Status remove(TestClient by, String name) throws Exception {
        return by.inSession(root(), out -> Remove.encodeArgs(out, new Remove.Args(name)))
                .status();
    }

    private static Status rename(TestClient by, String from, String to) throws Exception {
        Op rename = out -> Rename.encodeArgs(out, new Rename.Args(from, to));
        return by.inSession(root(), SaveFh::encodeArgs, root(), rename).status();
    }

    private static Status statusOf(TestClient by, FileHandle handle) throws Exception {
        return by.inSession(fh(handle), TestClient.attributes(Attribute.SIZE)).status();
    }

    private void assertIsThere(Opened file) throws Exception {
        assertThat(client.read(file, 0, 100)).isEqualTo("content");
        client.write(file, 7, " and more", StableHow.FILE_SYNC4);
        assertThat(client.read(file, 0, 100)).isEqualTo("content and more");
        Attributes attributes =
                client.attributesOf(file.handle(), Attribute.NUMLINKS, Attribute.SIZE, Attribute.CHANGE);
        assertThat(attributes.get(Attribute.NUMLINKS)).isZero();
        assertThat(attributes.get(Attribute.SIZE)).isEqualTo(16);
        Attributes asked = Attributes.builder()
                .put(Attribute.SIZE, 3L)
                .put(Attribute.MODE, 04711)
                .build();
        Op set = out -> SetAttr.encodeArgs(out, new SetAttr.Args(file.stateId(), asked));
        assertThat(client.inSession(fh(file.handle()), set).status()).isEqualTo(Status.NFS4_OK);
        assertThat(client.attributesOf(file.handle(), Attribute.MODE).get(Attribute.MODE))
                .isEqualTo(04711);
        assertThat(client.read(file, 0, 100)).isEqualTo("con");
        assertThat(client.inSession(fh(file.handle()), out -> Commit.encodeArgs(out, new Commit.Args(0, 0)))
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldSayThatItPreservesUnlinkedFiles() throws Exception {
        Reply reply = client.inSession(root(), client.open("file", 3, 0, unchecked(0644)));
        reply.ok(Opcode.PUTROOTFH, Opcode.OPEN);
        assertThat(Open.decodeResult(reply.in).flags() & Open.RESULT_PRESERVE_UNLINKED)
                .isNotZero();
    }

    @Test
    void shouldServeARemovedFileUntilItIsClosed() throws Exception {
        Opened file = made("file");
        assertThat(remove(other, "file")).isEqualTo(Status.NFS4_OK);
        assertThat(client.inSession(root(), look("file")).status()).isEqualTo(Status.NFS4ERR_NOENT);

        assertIsThere(file);

        assertThat(client.close(file)).isEqualTo(Status.NFS4_OK);
        assertThat(statusOf(client, file.handle())).isEqualTo(Status.NFS4ERR_STALE);
        assertThat(server.counters()).containsEntry("openFiles", 0L);
    }

    @Test
    void shouldServeAFileThatAnotherHasReplaced() throws Exception {
        Opened file = made("file");
        other.close(other.opened("fresh", 3, 0, unchecked(0644)));
        assertThat(rename(other, "fresh", "file")).isEqualTo(Status.NFS4_OK);

        assertIsThere(file);

        assertThat(client.handle("file")).isNotEqualTo(file.handle());
        assertThat(client.close(file)).isEqualTo(Status.NFS4_OK);
        assertThat(statusOf(client, file.handle())).isEqualTo(Status.NFS4ERR_STALE);
    }

    @Test
    void shouldServeAFileThatThisHostHasRemoved() throws Exception {
        Opened file = made("file");
        Files.delete(directory.resolve("file"));

        assertIsThere(file);

        client.close(file);
        assertThat(statusOf(client, file.handle())).isEqualTo(Status.NFS4ERR_STALE);
    }

    @Test
    void shouldServeAFileThatWasOnlyOpened() throws Exception {
        Files.writeString(directory.resolve("file"), "content");
        Opened file = client.opened("file", 1, 0, EXISTING);
        assertThat(remove(other, "file")).isEqualTo(Status.NFS4_OK);
        assertThat(client.read(file, 0, 100)).isEqualTo("content");
    }

    @Test
    void shouldServeItUntilTheLastHasClosedIt() throws Exception {
        Opened file = made("file");
        Opened theirs = other.opened("file", 1, 0, EXISTING);
        assertThat(remove(other, "file")).isEqualTo(Status.NFS4_OK);
        client.close(file);
        assertThat(other.read(theirs, 0, 100)).isEqualTo("content");
        other.close(theirs);
        assertThat(statusOf(other, file.handle())).isEqualTo(Status.NFS4ERR_STALE);
    }

    @Test
    void shouldForgetItWithTheClientThatHadItOpen() throws Exception {
        Opened file = made("file");
        assertThat(remove(other, "file")).isEqualTo(Status.NFS4_OK);
        clock.addAndGet(Duration.ofSeconds(91).toNanos());
        server.expireLeases();
        other = TestClient.connected(server, "other");
        assertThat(statusOf(other, file.handle())).isEqualTo(Status.NFS4ERR_STALE);
        assertThat(server.counters()).containsEntry("openFiles", 0L);
    }

    @Test
    void shouldNotGiveItAName() throws Exception {
        Opened file = made("file");
        assertThat(remove(other, "file")).isEqualTo(Status.NFS4_OK);
        Op link = out -> Link.encodeArgs(out, new Link.Args("again"));
        assertThat(client.inSession(fh(file.handle()), SaveFh::encodeArgs, root(), link)
                        .status())
                .isEqualTo(Status.NFS4ERR_STALE);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldNotKeepAFileThatNobodyHasOpen() throws Exception {
        Opened file = made("file");
        client.close(file);
        assertThat(remove(other, "file")).isEqualTo(Status.NFS4_OK);
        assertThat(statusOf(client, file.handle())).isEqualTo(Status.NFS4ERR_STALE);
        assertThat(server.counters()).containsEntry("openFiles", 0L);
    }

    @Test
    void shouldNotServeItAfterARestart() throws Exception {
        Opened file = made("file");
        assertThat(remove(other, "file")).isEqualTo(Status.NFS4_OK);
        restart(settings());
        client = new TestClient(server, "first");
        client.connect(1);
        assertThat(statusOf(client, file.handle())).isEqualTo(Status.NFS4ERR_STALE);
    }

    /** Each keeps a descriptor. */
    @Test
    void shouldLeaveTheNamesOfOpenFilesWhereTooManyHaveNoneLeft() throws Exception {
        Opened last = null;
        Status status = Status.NFS4_OK;
        int removed = 0;
        while (status.isOk()) {
            last = client.opened("file", 3, 0, unchecked(0644));
            status = remove(client, "file");
            removed += status.isOk() ? 1 : 0;
            assertThat(removed).isLessThan(2000);
        }
        assertThat(status).isEqualTo(Status.NFS4ERR_FILE_OPEN);
        assertThat(removed).isEqualTo(1024);
        assertThat(client.close(last)).isEqualTo(Status.NFS4_OK);
        assertThat(remove(client, "file")).isEqualTo(Status.NFS4_OK); // nobody has it open
    }

    @Test
    void shouldServeFilesWithANameAsEver() throws Exception {
        Opened file = made("file");
        assertThat(rename(other, "file", "moved")).isEqualTo(Status.NFS4_OK);
        assertThat(client.read(file, 0, 100)).isEqualTo("content");
        Reply reply = client.inSession(root(), look("moved"), getFh());
        assertThat(reply.status()).isEqualTo(Status.NFS4_OK);
        assertThat(client.attributesOf(file.handle(), Attribute.NUMLINKS).get(Attribute.NUMLINKS))
                .isEqualTo(1);
    }
}
