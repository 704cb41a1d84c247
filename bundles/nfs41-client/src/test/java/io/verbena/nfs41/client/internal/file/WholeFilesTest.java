package io.verbena.nfs41.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.conformance.Proves;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileRead;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.rpc.TransportLostException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole files by one COMPOUND each, and what follows where such a COMPOUND fails in its middle. */
class WholeFilesTest {
    private static final byte[] CONTENT = content(2000);
    private static final Instant MODIFIED = Instant.parse("2020-02-02T20:20:20Z");
    private static final AttributeChanges CHANGES =
            AttributeChanges.NONE.withMode(0640).withTimes(null, MODIFIED);

    private FakeServer server;
    private NfsMount mount;
    private int before;

    @BeforeEach
    void mount() throws IOException {
        server = new FakeServer();
        mount = server.mount("");
        before = server.seen.size();
    }

    @AfterEach
    void close() {
        mount.close();
        server.close();
    }

    @Test
    @Proves("ULB-5.4.2-1")
    @DisplayName("no COMPOUND has more than one item for a Read chunk, and none more than one for a Write chunk")
    void shouldHaveOneChunkACompound() throws Exception {
        Set<StandardOpenOption> both = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
        ByteBuffer read = ByteBuffer.allocate(200_000);
        try (RemoteFile file = mount.open("/f", both, 0)) {
            file.write(ByteBuffer.wrap(content(200_000)), 0);
            file.sync();
            assertThat(file.read(read, 0)).isPositive();
        }
        assertThat(server.opcodesSince(before)).contains(Opcode.READ, Opcode.WRITE);
        assertThat(server.mostItems).hasValue(1);
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        for (int i = 0; i < length; i++) {
            content[i] = (byte) (i + 1);
        }
        return content;
    }

    private FileAttributes create(byte[] content, AttributeChanges changes) throws Exception {
        return outcome(mount.createFileAsync("/dir/new", ByteBuffer.wrap(content), changes));
    }

    private static <T> T outcome(CompletableFuture<T> future) throws Exception {
        try {
            return future.get(20, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    private List<List<Integer>> requests() {
        return server.seen.stream().skip(before).map(FakeServer.Seen::opcodes).toList();
    }

    private long executedSince(int opcode) {
        return server.opcodesSince(before).stream()
                .filter(each -> each == opcode)
                .count();
    }

    private void assertCreated() {
        assertThat(Arrays.copyOf(server.content, server.size)).isEqualTo(CONTENT);
        assertThat(server.set).last().satisfies(set -> {
            assertThat(set.get(Attribute.MODE)).isEqualTo(0640);
            assertThat(set.mask().contains(Attribute.TIME_MODIFY_SET)).isTrue();
        });
        assertThat(mount.statistics().openFiles()).isZero();
    }

    @Test
    void shouldCreateAFileInOneRequest() throws Exception {
        FileAttributes made = create(CONTENT, CHANGES);
        assertThat(made.size()).isEqualTo(CONTENT.length);
        assertThat(requests())
                .containsExactly(List.of(
                        Opcode.SEQUENCE,
                        Opcode.PUTFH,
                        Opcode.LOOKUP,
                        Opcode.GETATTR,
                        Opcode.OPEN,
                        Opcode.GETFH,
                        Opcode.WRITE,
                        Opcode.VERIFY,
                        Opcode.SETATTR,
                        Opcode.GETATTR,
                        Opcode.CLOSE));
        assertThat(server.used).containsOnly(StateId.CURRENT);
        assertCreated();
    }

    @Test
    void shouldCreateAnEmptyFileInOneRequest() throws Exception {
        assertThat(create(new byte[0], AttributeChanges.NONE).size()).isZero();
        assertThat(requests()).hasSize(1);
        assertThat(server.opcodesSince(before)).doesNotContain(Opcode.WRITE, Opcode.SETATTR);
    }

    @ParameterizedTest
    @ValueSource(ints = {Opcode.WRITE, Opcode.VERIFY, Opcode.SETATTR, Opcode.CLOSE})
    void shouldGoOnWithTheOpenFileAfterADelayInTheMiddle(int opcode) throws Exception {
        server.failNext(opcode, Status.NFS4ERR_DELAY);
        assertThat(create(CONTENT, CHANGES).size()).isEqualTo(CONTENT.length);
        assertThat(executedSince(Opcode.OPEN)).isEqualTo(1);
        assertThat(requests().get(requests().size() - 1)).endsWith(Opcode.CLOSE);
        assertCreated();
    }

    @Test
    void shouldRepeatTheWholeRequestAfterADelayOfOpen() throws Exception {
        server.failNext(Opcode.OPEN, Status.NFS4ERR_DELAY);
        create(CONTENT, CHANGES);
        assertThat(requests()).hasSize(2);
        assertCreated();
    }

    @Test
    void shouldWriteTheRestOfAShortWriteBeforeItCloses() throws Exception {
        server.maxWrite = 700;
        create(CONTENT, CHANGES);
        assertThat(executedSince(Opcode.OPEN)).isEqualTo(1);
        assertThat(executedSince(Opcode.CLOSE)).isEqualTo(1);
        assertCreated();
    }

    @Test
    void shouldManageWithoutTheCurrentStateId() throws Exception {
        server.hasCurrentStateId = false;
        create(CONTENT, CHANGES);
        assertThat(executedSince(Opcode.OPEN)).isEqualTo(1);
        assertCreated();
    }

    @Test
    void shouldCloseAFileThatCannotBeWritten() {
        server.failNext(Opcode.WRITE, Status.NFS4ERR_NOSPC, Status.NFS4ERR_NOSPC);
        assertThatThrownBy(() -> create(CONTENT, CHANGES)).hasMessageContaining("no space is left on the server");
        assertThat(executedSince(Opcode.CLOSE)).isEqualTo(1);
        assertThat(mount.statistics().openFiles()).isZero();
    }

    @Test
    void shouldCloseAFileWhoseAttributesCannotBeSet() {
        server.failNext(Opcode.SETATTR, Status.NFS4ERR_PERM, Status.NFS4ERR_PERM);
        assertThatThrownBy(() -> create(CONTENT, CHANGES)).hasMessageContaining("denies SETATTR");
        assertThat(executedSince(Opcode.CLOSE)).isEqualTo(1);
        assertThat(mount.statistics().openFiles()).isZero();
    }

    @Test
    void shouldExecuteOnceWhereTheReplyIsLost() throws Exception {
        server.loseNextReply(new TransportLostException("lost", null));
        create(CONTENT, CHANGES);
        assertThat(executedSince(Opcode.OPEN)).isEqualTo(1);
        assertThat(executedSince(Opcode.WRITE)).isEqualTo(1);
        assertCreated();
    }

    /** Three lost connections make the size suspect; but the server has had the request as a whole. */
    @Test
    void shouldExecuteOnceHoweverOftenTheReplyIsLost() throws Exception {
        for (int i = 0; i < 3; i++) {
            server.loseNextReply(new TransportLostException("lost", null));
        }
        byte[] large = content(20_000);
        create(large, CHANGES);
        assertThat(executedSince(Opcode.OPEN)).isEqualTo(1);
        assertThat(executedSince(Opcode.WRITE)).isEqualTo(1);
        assertThat(Arrays.copyOf(server.content, server.size)).isEqualTo(large);
        assertThat(mount.statistics().slotsInUse()).isZero();
        assertThat(mount.settings()).doesNotContainKey("transferLimit");
    }

    @Test
    void shouldTellThatTheFileMayBeItsOwnWhereTheSessionIsLostWithTheReply() {
        server.loseNextReply(new TransportLostException("lost", null));
        server.failNext(Opcode.SEQUENCE, Status.NFS4_OK, Status.NFS4ERR_BADSESSION);
        server.failNext(Opcode.OPEN, Status.NFS4_OK, Status.NFS4ERR_EXIST);
        assertThatThrownBy(() -> create(CONTENT, CHANGES)).isInstanceOf(UndecidedException.class);
        assertThat(mount.statistics().openFiles()).isZero();
    }

    @Test
    void shouldWriteALargeFileInSteps() throws Exception {
        byte[] large = content(200_000);
        assertThat(create(large, CHANGES).size()).isEqualTo(large.length);
        assertThat(Arrays.copyOf(server.content, server.size)).isEqualTo(large);
        assertThat(executedSince(Opcode.COMMIT)).isEqualTo(1);
        assertThat(mount.statistics().openFiles()).isZero();
    }

    private void fill() {
        System.arraycopy(CONTENT, 0, server.content, 0, CONTENT.length);
        server.size = CONTENT.length;
    }

    private FileRead read(ByteBuffer into) throws Exception {
        return outcome(mount.readFileAsync("/dir/file", into));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldReadAFileInOneRequest(boolean isDirect) throws Exception {
        fill();
        ByteBuffer into = isDirect ? ByteBuffer.allocateDirect(3000) : ByteBuffer.allocate(3000);
        FileRead read = read(into);
        assertThat(read.octets()).isEqualTo(CONTENT.length);
        assertThat(read.isWhole()).isTrue();
        assertThat(into.flip()).isEqualTo(ByteBuffer.wrap(CONTENT));
        assertThat(requests()).hasSize(1);
        assertThat(server.opcodesSince(before)).doesNotContain(Opcode.OPEN);
    }

    @Test
    void shouldTellThatAFileIsLongerThanTheBuffer() throws Exception {
        fill();
        FileRead read = read(ByteBuffer.allocate(100));
        assertThat(read.octets()).isEqualTo(100);
        assertThat(read.isWhole()).isFalse();
    }

    @Test
    void shouldOpenAFileThatCannotBeReadWithoutThat() throws Exception {
        fill();
        server.failNext(Opcode.READ, Status.NFS4ERR_LOCKED);
        ByteBuffer into = ByteBuffer.allocate(3000);
        assertThat(read(into).octets()).isEqualTo(CONTENT.length);
        assertThat(into.flip()).isEqualTo(ByteBuffer.wrap(CONTENT));
        assertThat(executedSince(Opcode.OPEN)).isEqualTo(1);
        assertThat(executedSince(Opcode.CLOSE)).isEqualTo(1);
    }

    @Test
    void shouldFollowALinkToTheFile() throws Exception {
        fill();
        server.link("file", "other");
        assertThat(read(ByteBuffer.allocate(3000)).octets()).isEqualTo(CONTENT.length);
    }

    @Test
    void shouldTellThatThereIsNoFile() {
        server.failNext(Opcode.LOOKUP, Status.NFS4_OK, Status.NFS4ERR_NOENT);
        assertThatThrownBy(() -> read(ByteBuffer.allocate(3000))).isInstanceOf(NoSuchFileException.class);
        assertThat(requests()).hasSize(1);
    }

    @Test
    void shouldReadBehindTheWritesOfAnOpenFile() throws Exception {
        try (RemoteFile file =
                mount.open("/dir/file", Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), 0600)) {
            file.write(ByteBuffer.wrap(CONTENT), 0);
            ByteBuffer into = ByteBuffer.allocate(3000);
            assertThat(read(into).octets()).isEqualTo(CONTENT.length);
            assertThat(into.flip()).isEqualTo(ByteBuffer.wrap(CONTENT));
        }
    }

    @Test
    void shouldRenameWithinADirectoryInOneRequest() throws Exception {
        mount.rename("/dir/old", "/dir/./new");
        assertThat(requests()).hasSize(1);
        assertThat(server.named).containsExactly("rename old new");
    }

    @Test
    void shouldRenameToAnotherDirectoryInTwoRequests() throws Exception {
        mount.rename("/dir/old", "/other/new");
        assertThat(requests()).hasSize(2);
        assertThat(server.named).containsExactly("rename old new");
    }

    @Test
    void shouldSetAttributesInOneRequest() throws Exception {
        mount.setAttributes("/dir/file", CHANGES);
        assertThat(requests()).hasSize(1);
    }

    @Test
    void shouldSetNoAttributesOfALink() throws Exception {
        server.link("file", "other");
        mount.setAttributes("/dir/file", CHANGES);
        assertThat(server.set).hasSize(1);
        assertThat(requests().get(0)).endsWith(Opcode.NVERIFY);
    }
}
