package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What SETATTR and creates say that they have set, and which bits go when somebody writes. */
class SetAttributesTest extends ServerFixture {
    private static final OpenHow EXISTING = new OpenHow.NoCreate();
    private static final SetTime TIME = new SetTime(NfsTime.of(Instant.parse("2020-02-02T02:02:02Z")));

    private Path path;
    private FileHandle file;
    private int owner;

    @BeforeEach
    void file() throws Exception {
        path = Files.writeString(directory.resolve("file"), "0123456789");
        mode(0666);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        owner = (int) Files.getAttribute(path, "unix:uid");
        file = client.handle("file");
    }

    private void mode(int mode) throws IOException {
        Files.setAttribute(path, "unix:mode", 0100000 | mode);
    }

    private int mode() throws IOException {
        return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
    }

    private SetAttr.Result set(FileHandle of, Attributes attributes) throws Exception {
        Reply reply = client.inSession(
                fh(of), out -> SetAttr.encodeArgs(out, new SetAttr.Args(StateId.ANONYMOUS, attributes)));
        reply.ok(Opcode.PUTFH).expect(Opcode.SETATTR, reply.status());
        return SetAttr.decodeResult(reply.in, reply.status());
    }

    @Test
    void shouldTellWhatWasSetBeforeTheRestFailed() throws Exception {
        client.as(owner + 1, 4711);
        Attributes asked = Attributes.builder()
                .put(Attribute.SIZE, 4L)
                .put(Attribute.OWNER, Integer.toString(owner + 1))
                .put(Attribute.MODE, 0777)
                .build();

        SetAttr.Result result = set(file, asked);

        assertThat(result.status()).isEqualTo(Status.NFS4ERR_PERM);
        assertThat(result.attributesSet()).isEqualTo(AttributeMask.of(Attribute.SIZE));
        assertThat(path).hasContent("0123");
        assertThat(mode()).isEqualTo(0666);
    }

    @Test
    void shouldTellThatNothingWasSet() throws Exception {
        client.as(owner + 1, 4711);
        SetAttr.Result result =
                set(file, Attributes.builder().put(Attribute.MODE, 0777).build());
        assertThat(result).isEqualTo(new SetAttr.Result(Status.NFS4ERR_PERM, AttributeMask.EMPTY));
    }

    @Test
    void shouldTellThatAllWasSet() throws Exception {
        Attributes asked = Attributes.builder()
                .put(Attribute.SIZE, 4L)
                .put(Attribute.OWNER, Integer.toString(owner))
                .put(Attribute.MODE, 0777)
                .put(Attribute.TIME_ACCESS_SET, TIME)
                .put(Attribute.TIME_MODIFY_SET, TIME)
                .build();
        assertThat(set(file, asked)).isEqualTo(new SetAttr.Result(Status.NFS4_OK, asked.mask()));
    }

    @Test
    void shouldNotClaimToHaveSetASymbolicLinksMode() throws Exception {
        Files.createSymbolicLink(directory.resolve("link"), path);
        Attributes asked = Attributes.builder()
                .put(Attribute.MODE, 0600)
                .put(Attribute.TIME_MODIFY_SET, TIME)
                .build();
        assertThat(set(client.handle("link"), asked).attributesSet())
                .isEqualTo(AttributeMask.of(Attribute.TIME_MODIFY_SET));
        Reply reply =
                client.inSession(root(), out -> Create.encodeArgs(out, Create.symbolicLink("made", "file", asked)));
        reply.ok(Opcode.PUTROOTFH, Opcode.CREATE);
        assertThat(Create.decodeResult(reply.in).attributesSet())
                .isEqualTo(AttributeMask.of(Attribute.TIME_MODIFY_SET));
    }

    @Test
    void shouldNotClaimToHaveGivenANewFileAway() throws Exception {
        client.as(owner + 1, 4711);
        Attributes asked = Attributes.builder()
                .put(Attribute.OWNER, Integer.toString(owner + 2))
                .put(Attribute.MODE, 0600)
                .build();
        Reply reply = client.inSession(root(), client.open("made", 3, 0, new OpenHow.Guarded(asked)));
        reply.ok(Opcode.PUTROOTFH, Opcode.OPEN);
        assertThat(Open.decodeResult(reply.in).attributesSet()).isEqualTo(AttributeMask.of(Attribute.MODE));
    }

    @Test
    void shouldDropSetIdBitsWhenSomebodyElseWrites() throws Exception {
        mode(06777);
        client.as(owner + 1, 4711);
        Opened opened = client.opened("file", 3, 0, EXISTING);
        client.write(opened, 0, "abc", StableHow.UNSTABLE4);
        assertThat(mode()).isEqualTo(0777);
        mode(06777);
        client.write(opened, 0, "def", StableHow.FILE_SYNC4);
        assertThat(mode()).isEqualTo(0777);
        assertThat(path).hasContent("def3456789");
    }

    @Test
    void shouldDropSetIdBitsWhenSomebodyElseChangesTheSize() throws Exception {
        client.as(owner + 1, 4711);
        mode(06777);
        assertThat(set(file, Attributes.builder().put(Attribute.SIZE, 4L).build())
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(mode()).isEqualTo(0777);
        mode(06777);
        Attributes empty = Attributes.builder().put(Attribute.SIZE, 0L).build();
        client.opened("file", 3, 0, new OpenHow.Unchecked(empty));
        assertThat(mode()).isEqualTo(0777);
    }

    @Test
    void shouldKeepSetGroupIdWithoutExecutionForAWriterInTheGroup() throws Exception {
        mode(02767);
        client.as(owner + 1, 4711);
        client.write(client.opened("file", 3, 0, EXISTING), 0, "abc", StableHow.UNSTABLE4);
        assertThat(mode()).isEqualTo(0767);
        mode(02767);
        client.as(owner + 1, (int) Files.getAttribute(path, "unix:gid"));
        client.write(client.opened("file", 3, 0, EXISTING), 0, "def", StableHow.UNSTABLE4);
        assertThat(mode()).isEqualTo(02767);
    }

    @Test
    void shouldKeepWhatWritingDoesNotEndanger() throws Exception {
        mode(03766);
        client.as(owner + 1, 4711);
        Opened opened = client.opened("file", 3, 0, EXISTING);
        client.write(opened, 0, "", StableHow.UNSTABLE4);
        client.read(opened, 0, 1);
        assertThat(mode()).isEqualTo(03766);
        client.as(0, 0);
        mode(06777);
        client.write(opened, 0, "root", StableHow.UNSTABLE4);
        assertThat(mode()).isEqualTo(FileTest.isRoot() ? 06777 : 0777);
    }
}
