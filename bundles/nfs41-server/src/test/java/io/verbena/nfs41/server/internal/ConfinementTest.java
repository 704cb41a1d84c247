package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Nothing outside the exported directory can be reached. */
class ConfinementTest extends ServerFixture {
    private static final String SECRET = "outside";

    private Path outside;

    @BeforeEach
    void hide() throws Exception {
        outside = temporary.resolve("outside");
        Files.writeString(outside.resolve("file"), SECRET);
    }

    private Reply read(FileHandle handle) throws Exception {
        Op read = out -> Read.encodeArgs(out, new Read.Args(StateId.ANONYMOUS, 0, 100));
        return client.inSession(fh(handle), read);
    }

    @Test
    void shouldNotFollowLinksThatLeadOut() throws Exception {
        Files.createSymbolicLink(directory.resolve("etc"), Path.of("/etc"));
        Files.createSymbolicLink(directory.resolve("passwd"), Path.of("/etc/passwd"));
        assertThat(client.inSession(root(), look("etc"), look("passwd")).status())
                .isEqualTo(Status.NFS4ERR_SYMLINK);
        assertThat(client.statusOfOpen("passwd", 1, 0, new OpenHow.NoCreate())).isEqualTo(Status.NFS4ERR_SYMLINK);
        assertThat(client.statusOfOpen("passwd", 3, 0, unchecked(0644))).isEqualTo(Status.NFS4ERR_SYMLINK);
        assertThat(read(client.handle("passwd")).status()).isEqualTo(Status.NFS4ERR_SYMLINK);
    }

    @Test
    void shouldNotLeadAboveTheRoot() throws Exception {
        assertThat(client.inSession(root(), LookupP::encodeArgs).status()).isEqualTo(Status.NFS4ERR_NOENT);
        assertThat(client.inSession(root(), look("..")).status()).isEqualTo(Status.NFS4ERR_BADNAME);
        assertThat(client.inSession(root(), look("/etc")).status()).isEqualTo(Status.NFS4ERR_BADNAME);
    }

    @Test
    void shouldRefuseForgedHandles() throws Exception {
        byte[] handle = client.handle().value().toByteArray();
        long ino = (long) Files.getAttribute(outside.resolve("file"), "unix:ino");
        for (int i = 0; i < handle.length; i++) {
            byte[] forged = handle.clone();
            forged[i] ^= 1;
            assertThat(client.inSession(fh(FileHandle.of(forged))).status()).isEqualTo(Status.NFS4ERR_BADHANDLE);
        }
        byte[] named = handle.clone();
        ByteBuffer.wrap(named).putLong(4, ino);
        assertThat(client.inSession(fh(FileHandle.of(named))).status()).isEqualTo(Status.NFS4ERR_BADHANDLE);
        assertThat(client.inSession(fh(FileHandle.of())).status()).isEqualTo(Status.NFS4ERR_BADHANDLE);
    }

    @Test
    void shouldNotFollowADirectoryThatWasSwappedForALink() throws Exception {
        Files.createDirectory(directory.resolve("dir"));
        Files.writeString(directory.resolve("dir/file"), "inside");
        FileHandle dir = client.handle("dir");
        FileHandle file = client.handle("dir", "file");
        Files.move(directory.resolve("dir"), directory.resolve("moved"));
        Files.createSymbolicLink(directory.resolve("dir"), outside);
        Reply found = client.inSession(fh(dir), look("file"), getFh());
        assertThat(found.status()).isEqualTo(Status.NFS4_OK);
        assertThat(contentOf(file)).isEqualTo("inside");
        assertThat(contentOf(client.handle("moved", "file"))).isEqualTo("inside");
    }

    private String contentOf(FileHandle handle) throws Exception {
        Reply reply = read(handle);
        if (!reply.status().isOk()) {
            return null;
        }
        reply.ok(Opcode.PUTFH, Opcode.READ);
        return StandardCharsets.UTF_8.decode(Read.decodeResult(reply.in).data()).toString();
    }

    /** Somebody on the host swaps a directory for a link to another one, over and over. */
    @Test
    void shouldNeverReadFromOutsideWhileADirectoryIsSwapped() throws Exception {
        Path dir = Files.createDirectory(directory.resolve("dir"));
        Files.writeString(dir.resolve("file"), "inside");
        Path link = Files.createSymbolicLink(temporary.resolve("link"), outside);
        Path aside = temporary.resolve("aside");
        FileHandle dirHandle = client.handle("dir");
        FileHandle fileHandle = client.handle("dir", "file");
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Integer> swapper = CompletableFuture.supplyAsync(() -> swap(dir, link, aside, stop));
        int read = 0;
        try {
            for (int i = 0; i < 3000; i++) {
                String direct = contentOf(fileHandle);
                assertThat(direct).isIn(null, "inside");
                read += direct == null ? 0 : 1;
                Reply found = client.inSession(fh(dirHandle), look("file"), getFh());
                if (found.status().isOk()) {
                    found.ok(Opcode.PUTFH, Opcode.LOOKUP, Opcode.GETFH);
                    FileHandle handle = GetFh.decodeResult(found.in).object();
                    assertThat(handle).isEqualTo(fileHandle);
                }
            }
        } finally {
            stop.set(true);
        }
        assertThat(swapper.get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(read).isPositive();
    }

    /**
     * Somebody on the host swaps a directory for a link, while clients make objects in it and change its attributes. By
     * the path, each of these went to the other directory now and then.
     */
    @Test
    void shouldNeverChangeAnythingOutsideWhileADirectoryIsSwapped() throws Exception {
        Path dir = Files.createDirectory(directory.resolve("dir"));
        Files.createSymbolicLink(dir.resolve("file"), Path.of("inside"));
        Files.writeString(dir.resolve("plain"), "inside");
        Files.createSymbolicLink(outside.resolve("link"), Path.of("outside"));
        Files.writeString(outside.resolve("plain"), SECRET);
        Path link = Files.createSymbolicLink(temporary.resolve("link"), outside);
        Path aside = temporary.resolve("aside");
        FileHandle dirHandle = client.handle("dir");
        FileHandle linkHandle = client.handle("dir", "file");
        FileHandle plainHandle = client.handle("dir", "plain");
        String before = stateOf(outside);
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<Integer> swapper = CompletableFuture.supplyAsync(() -> swap(dir, link, aside, stop));
        int made = 0;
        try {
            for (int i = 0; i < 500; i++) {
                String name = "made-" + i;
                made += create(dirHandle, Create.directory("d" + name, Attributes.EMPTY)) ? 1 : 0;
                made += create(dirHandle, Create.symbolicLink("l" + name, "text", Attributes.EMPTY)) ? 1 : 0;
                Op second = out -> Link.encodeArgs(out, new Link.Args("h" + name));
                client.inSession(fh(plainHandle), SaveFh::encodeArgs, fh(dirHandle), second);
                client.setAttributes(dirHandle, mode(02777));
                client.setAttributes(plainHandle, mode(04755));
                client.setAttributes(linkHandle, times(Instant.EPOCH));
                Reply read = client.inSession(fh(linkHandle), ReadLink::encodeArgs);
                if (read.status().isOk()) {
                    read.ok(Opcode.PUTFH, Opcode.READLINK);
                    assertThat(ReadLink.decodeResult(read.in).text()).isEqualTo("inside");
                }
            }
        } finally {
            stop.set(true);
        }
        assertThat(swapper.get(10, TimeUnit.SECONDS)).isPositive();
        assertThat(stateOf(outside)).isEqualTo(before);
        assertThat(made).isPositive();
    }

    private boolean create(FileHandle parent, Create.Args args) throws Exception {
        return client.inSession(fh(parent), out -> Create.encodeArgs(out, args))
                .status()
                .isOk();
    }

    private static Attributes mode(int mode) {
        return Attributes.builder().put(Attribute.MODE, mode).build();
    }

    private static Attributes times(Instant time) {
        return Attributes.builder()
                .put(Attribute.TIME_MODIFY_SET, new SetTime(NfsTime.of(time)))
                .build();
    }

    /** Names, modes, owners and times of a directory and what is in it. */
    private static String stateOf(Path of) throws IOException {
        StringBuilder state = new StringBuilder();
        try (Stream<Path> all = Files.walk(of)) {
            for (Path each : all.sorted().toList()) {
                state.append(each)
                        .append(Files.readAttributes(
                                each, "unix:mode,uid,gid,nlink,lastModifiedTime", LinkOption.NOFOLLOW_LINKS))
                        .append('\n');
            }
        }
        return state.toString();
    }

    private static int swap(Path dir, Path link, Path aside, AtomicBoolean stop) {
        int swaps = 0;
        try {
            while (!stop.get()) {
                Files.move(dir, aside, StandardCopyOption.ATOMIC_MOVE);
                Files.move(link, dir, StandardCopyOption.ATOMIC_MOVE);
                Files.move(dir, link, StandardCopyOption.ATOMIC_MOVE);
                Files.move(aside, dir, StandardCopyOption.ATOMIC_MOVE);
                swaps++;
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return swaps;
    }

    @Test
    void shouldKeepHandlesOverRenamesAndRestarts() throws Exception {
        Files.createDirectories(directory.resolve("a/b"));
        Files.writeString(directory.resolve("a/b/file"), "content");
        FileHandle handle = client.handle("a", "b", "file");
        Files.move(directory.resolve("a"), directory.resolve("c"));
        assertThat(contentOf(handle)).isEqualTo("content");
        restart(settings());
        clock.addAndGet(TimeUnit.SECONDS.toNanos(100));
        client = TestClient.connected(server, "first");
        Files.move(directory.resolve("c/b/file"), directory.resolve("file"));
        assertThat(contentOf(handle)).isEqualTo("content");
        assertThat(client.handle("file")).isEqualTo(handle);
    }

    @Test
    void shouldAnswerStaleForWhatIsGoneAndForItsSuccessor() throws Exception {
        Path path = directory.resolve("file");
        Files.writeString(path, "first");
        FileHandle handle = client.handle("file");
        Files.delete(path);
        Files.writeString(path, "second");
        assertThat(read(handle).status()).isEqualTo(Status.NFS4ERR_STALE);
        restart(settings());
        clock.addAndGet(TimeUnit.SECONDS.toNanos(100));
        client = TestClient.connected(server, "first");
        assertThat(read(handle).status()).isEqualTo(Status.NFS4ERR_STALE);
    }
}
