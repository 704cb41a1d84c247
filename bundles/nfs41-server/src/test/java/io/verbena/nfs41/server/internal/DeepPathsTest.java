package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What lies deeper than the longest path of the operating system (4096 octets) is as good as anything else. */
class DeepPathsTest extends ServerFixture {
    private static final String NAME = "d".repeat(250);
    private static final int DEPTH = 40;

    private final List<FileHandle> directories = new ArrayList<>();
    private FileHandle file;

    private FileHandle made(FileHandle parent, Create.Args args) throws Exception {
        Reply reply = client.inSession(fh(parent), out -> Create.encodeArgs(out, args), getFh());
        reply.ok(Opcode.PUTFH, Opcode.CREATE);
        Create.decodeResult(reply.in);
        reply.ok(Opcode.GETFH);
        return GetFh.decodeResult(reply.in).object();
    }

    private void makeTree() throws Exception {
        FileHandle at = client.handle();
        for (int i = 0; i < DEPTH; i++) {
            directories.add(at);
            at = made(at, Create.directory(NAME, Attributes.EMPTY));
        }
        directories.add(at);
        FileHandle deepest = at;
        Op create = client.open("file", 3, 0, TestClient.unchecked(0644));
        Reply reply = client.inSession(fh(deepest), create);
        assertThat(reply.status()).isEqualTo(Status.NFS4_OK);
        file = lookedUp(deepest, "file");
    }

    private FileHandle lookedUp(FileHandle parent, String name) throws Exception {
        Reply reply = client.inSession(fh(parent), look(name), getFh());
        reply.ok(Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETFH);
        return GetFh.decodeResult(reply.in).object();
    }

    private void write(String text) throws Exception {
        ByteBuffer data = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        Write.Args args = new Write.Args(StateId.ANONYMOUS, 0, StableHow.FILE_SYNC4, data);
        assertThat(client.inSession(fh(file), out -> Write.encodeArgs(out, args))
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    private String read() throws Exception {
        Reply reply = client.inSession(fh(file), out -> Read.encodeArgs(out, new Read.Args(StateId.ANONYMOUS, 0, 100)));
        reply.ok(Opcode.PUTFH, Opcode.READ);
        return StandardCharsets.UTF_8.decode(Read.decodeResult(reply.in).data()).toString();
    }

    private void removeAll() throws Exception {
        remove(directories.get(DEPTH), "file");
        for (int i = DEPTH - 1; i >= 0; i--) {
            remove(directories.get(i), NAME);
        }
        assertThat(directory).isEmptyDirectory();
    }

    private void remove(FileHandle parent, String name) throws Exception {
        assertThat(client.inSession(fh(parent), out -> Remove.encodeArgs(out, new Remove.Args(name)))
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldMakeReadChangeAndRemove() throws Exception {
        makeTree();
        write("content");
        assertThat(read()).isEqualTo("content");
        NfsTime time = NfsTime.of(Instant.parse("2020-01-02T03:04:05.123456789Z"));
        Attributes changes = Attributes.builder()
                .put(Attribute.MODE, 04711)
                .put(Attribute.TIME_MODIFY_SET, new SetTime(time))
                .build();
        assertThat(client.setAttributes(file, changes)).isEqualTo(Status.NFS4_OK);
        Attributes now = client.attributesOf(file, Attribute.MODE, Attribute.TIME_MODIFY, Attribute.SIZE);
        assertThat(now.get(Attribute.MODE)).isEqualTo(04711);
        assertThat(now.get(Attribute.TIME_MODIFY)).isEqualTo(time);
        assertThat(now.get(Attribute.SIZE)).isEqualTo(7);
        Reply up = client.inSession(fh(directories.get(DEPTH)), LookupP::encodeArgs, getFh());
        up.ok(Opcode.PUTFH, Opcode.LOOKUPP, Opcode.GETFH);
        assertThat(GetFh.decodeResult(up.in).object()).isEqualTo(directories.get(DEPTH - 1));
        removeAll();
    }

    @Test
    void shouldFindByHandlesAfterARestart() throws Exception {
        makeTree();
        write("content");
        restart(settings());
        clock.addAndGet(TimeUnit.SECONDS.toNanos(100));
        client = TestClient.connected(server, "first");
        assertThat(read()).isEqualTo("content");
        assertThat(lookedUp(directories.get(DEPTH - 1), NAME)).isEqualTo(directories.get(DEPTH));
        removeAll();
    }
}
