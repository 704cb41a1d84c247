package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.attributes;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.FileStatus;
import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.GetAttr;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.vfs.Intercepted;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** GETATTR behind other operations of a COMPOUND, while others change the object. */
class AttributesOfTheMomentTest extends DelegationFixture {
    private static final Instant TIME = Instant.parse("2001-02-03T04:05:06Z");

    /** A step of a test, at the first call of the file system that it waits for. */
    private interface Step {
        void run() throws Exception;
    }

    private Predicate<Object> awaited = result -> false;
    private String awaitedMethod = "";
    private Step step = () -> {};

    @Override
    NfsServer server(ExportSettings settings) throws Exception {
        return new NfsServer(
                settings,
                state,
                memory,
                path -> Intercepted.directory(Directories.open(path), this::intercept),
                UnaryOperator.identity(),
                new ManualClock(clock::get));
    }

    private Object intercept(Object target, String method, Intercepted.Call real) throws Throwable {
        Object made = real.make();
        if (method.equals(awaitedMethod) && awaited.test(made)) {
            awaitedMethod = "";
            step.run();
        }
        return made;
    }

    /** Behind the next call of that method with such a result. */
    private void behind(String method, Predicate<Object> result, Step next) {
        awaited = result;
        step = next;
        awaitedMethod = method;
    }

    private static <T> T attributeOf(Reply reply, Attribute<T> attribute) throws Exception {
        reply.ok(Opcode.GETATTR);
        return GetAttr.decodeResult(reply.in).attributes().get(attribute);
    }

    /** By which a client knows that what it has read is one version of the file. */
    @Test
    void shouldTellOfAChangeOfAFileWhileItIsRead() throws Exception {
        Path file = directory.resolve("file");
        other.onAllocate(() -> {
            try {
                Files.writeString(file, "0123456789 and more");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Op read = out -> Read.encodeArgs(out, new Read.Args(StateId.ANONYMOUS, 0, 5));
        Op size = attributes(Attribute.SIZE);
        Reply reply = other.inSession(root(), look("file"), size, read, size);
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP);
        assertThat(attributeOf(reply, Attribute.SIZE)).isEqualTo(10);
        reply.ok(Opcode.READ);
        assertThat(Read.decodeResult(reply.in).data().remaining()).isEqualTo(5);
        assertThat(attributeOf(reply, Attribute.SIZE)).isEqualTo(19);
    }

    @Test
    void shouldTellOfAChangeOfADirectoryWhileItIsListed() throws Exception {
        Path listed = Files.createDirectory(directory.resolve("directory"));
        behind("forEachName", result -> true, () -> modify(listed));
        Op list = out ->
                ReadDir.encodeArgs(out, new ReadDir.Args(0, 0, 1000, 1000, AttributeMask.of(Attribute.RDATTR_ERROR)));
        Reply reply = other.inSession(root(), look("directory"), list, attributes(Attribute.TIME_MODIFY));
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP, Opcode.READDIR);
        assertThat(ReadDir.decodeResult(reply.in).eof()).isTrue();
        assertThat(attributeOf(reply, Attribute.TIME_MODIFY)).isEqualTo(NfsTime.of(TIME));
    }

    @Test
    void shouldTellOfAChangeOfALinkWhileItIsRead() throws Exception {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        behind("readLink", result -> true, () -> modify(link));
        Reply reply = other.inSession(root(), look("link"), ReadLink::encodeArgs, attributes(Attribute.TIME_MODIFY));
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP, Opcode.READLINK);
        assertThat(ReadLink.decodeResult(reply.in).text()).isEqualTo("file");
        assertThat(attributeOf(reply, Attribute.TIME_MODIFY)).isEqualTo(NfsTime.of(TIME));
    }

    private static void modify(Path path) throws IOException {
        Files.getFileAttributeView(path, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
                .setTimes(FileTime.from(TIME), null, null);
    }

    /** The holder does not ask for them again. */
    @Test
    void shouldTellTheAttributesThatADelegationMakesCertain() throws Exception {
        ByteBuffer more = ByteBuffer.wrap(new byte[5]);
        Op write = out -> Write.encodeArgs(out, new Write.Args(StateId.ANONYMOUS, 10, StableHow.UNSTABLE4, more));
        behind("status", result -> result instanceof FileStatus status && status.isRegular(), () -> assertThat(
                        other.inSession(root(), look("file"), write).status())
                .isEqualTo(Status.NFS4_OK));
        Op open = holder.open("file", READ, 0, EXISTING);
        Reply reply = holder.inSession(root(), open, getFh(), attributes(Attribute.SIZE));
        reply.ok(Opcode.PUTROOTFH, Opcode.OPEN);
        assertThat(Open.decodeResult(reply.in).delegation()).isInstanceOf(OpenDelegation.ForReading.class);
        reply.ok(Opcode.GETFH);
        assertThat(GetFh.decodeResult(reply.in).object()).isNotNull();
        assertThat(attributeOf(reply, Attribute.SIZE)).isEqualTo(15);
    }
}
