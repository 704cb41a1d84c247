package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.conformance.Proves;
import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.DeviceNumbers;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.ops.Squash;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class FileTest extends ServerFixture {
    private static Op remove(String name) {
        return out -> Remove.encodeArgs(out, new Remove.Args(name));
    }

    private static Op rename(String from, String to) {
        return out -> Rename.encodeArgs(out, new Rename.Args(from, to));
    }

    private static Op create(Create.Args args) {
        return out -> Create.encodeArgs(out, args);
    }

    @Test
    void shouldWriteAndReadBack() throws Exception {
        Opened file = client.opened("file", 3, 0, unchecked(0640));
        Write.Result unstable = client.write(file, 0, "hello ", StableHow.UNSTABLE4);
        Write.Result stable = client.write(file, 6, "world", StableHow.FILE_SYNC4);
        assertThat(unstable.committed()).isEqualTo(StableHow.UNSTABLE4);
        assertThat(stable).isEqualTo(new Write.Result(5, StableHow.FILE_SYNC4, unstable.verifier()));
        assertThat(client.read(file, 0, 100)).isEqualTo("hello world");
        assertThat(client.read(file, 6, 3)).isEqualTo("wor");
        assertThat(client.read(file, 100, 3)).isEmpty();
        assertThat(client.close(file)).isEqualTo(Status.NFS4_OK);
        assertThat(directory.resolve("file")).hasContent("hello world");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("file"))))
                .isEqualTo("rw-r-----");
    }

    @Test
    void shouldCommitUnderAVerifierThatChangesWithTheRun() throws Exception {
        Opened file = client.opened("file", 3, 0, unchecked(0644));
        long before = client.write(file, 0, "x", StableHow.UNSTABLE4).verifier();
        assertThat(commit(file)).isEqualTo(before);
        restart(settings());
        client = TestClient.connected(server, "first");
        assertThat(commit(file)).isNotEqualTo(before);
    }

    private long commit(Opened file) throws Exception {
        Reply reply = client.inSession(fh(file.handle()), out -> Commit.encodeArgs(out, new Commit.Args(0, 0)));
        reply.ok(Opcode.PUTFH, Opcode.COMMIT);
        return Commit.decodeResult(reply.in).verifier();
    }

    @Test
    void shouldTakeAStateidFromTheUserWhoHasOpenedTheFileAlone() throws Exception {
        Path path = Files.writeString(directory.resolve("file"), "content");
        int owner = (int) Files.getAttribute(path, "unix:uid");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
        client.as(owner + 1, 4711);
        Opened file = client.opened("file", 3, 0, new OpenHow.NoCreate());
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        assertThat(client.read(file, 0, 3)).isEqualTo("con");
        assertThat(writeStatus(file)).isEqualTo(Status.NFS4_OK);
        client.as(owner + 2, 4711);
        assertThat(writeStatus(file)).isEqualTo(Status.NFS4ERR_ACCESS);
        Op read = out -> Read.encodeArgs(out, new Read.Args(file.stateId(), 0, 3));
        assertThat(client.inSession(fh(file.handle()), read).status()).isEqualTo(Status.NFS4ERR_ACCESS);
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw----r--"));
        assertThat(client.read(file, 0, 3)).isEqualTo("con");
        assertThat(writeStatus(file)).isEqualTo(Status.NFS4ERR_ACCESS);
    }

    private Status writeStatus(Opened file) throws Exception {
        ByteBuffer data = ByteBuffer.wrap(new byte[] {'c'});
        Op write =
                out -> Write.encodeArgs(out, new Write.Args(file.stateId(), 0, StableHow.UNSTABLE4, data.duplicate()));
        return client.inSession(fh(file.handle()), write).status();
    }

    @Test
    void shouldTellTheEndOfAFile() throws Exception {
        Files.writeString(directory.resolve("file"), "12345");
        Opened file = client.opened("file", 1, 0, new OpenHow.NoCreate());
        assertThat(readOf(file, 0, 4).eof()).isFalse();
        assertThat(readOf(file, 0, 5).eof()).isTrue();
        assertThat(readOf(file, 5, 1).eof()).isTrue();
        assertThat(readOf(file, -1, 1).eof()).isTrue();
    }

    @Test
    void shouldTellTheEndOfAFileThatBecomesShorterMeanwhile() throws Exception {
        Path path = Files.writeString(directory.resolve("file"), "1234567890");
        Opened file = client.opened("file", 1, 0, new OpenHow.NoCreate());
        client.onAllocate(() -> {
            try {
                Files.writeString(path, "123");
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Read.Result result = readOf(file, 0, 5);
        assertThat(result.data().remaining()).isEqualTo(3);
        assertThat(result.eof()).isTrue();
    }

    private Read.Result readOf(Opened file, long offset, int count, long... capacities) throws Exception {
        Reply reply = client.withCapacity(
                capacities,
                fh(file.handle()),
                out -> Read.encodeArgs(out, new Read.Args(file.stateId(), offset, count)));
        reply.ok(Opcode.PUTFH, Opcode.READ);
        return Read.decodeResult(reply.in);
    }

    @Test
    void shouldReadNoMoreThanThereIsRoomForInTheReplyOrItsChunk() throws Exception {
        Files.write(directory.resolve("file"), new byte[3 << 20]);
        Opened file = client.opened("file", 1, 0, new OpenHow.NoCreate());
        assertThat(readOf(file, 0, 2 << 20).data().remaining()).isEqualTo(1 << 20);
        assertThat(readOf(file, 0, 1 << 20, 1000L).data().remaining()).isEqualTo(1000);
        assertThat(readOf(file, 0, 1 << 20, 0L).data().remaining()).isZero();
    }

    @Test
    @Proves({"V1-6.2-1", "ULB-5.4.1-1"})
    @DisplayName("The chunk for each READ's result goes by its position among the READs of the COMPOUND")
    void shouldMatchReadsToChunksInOrder() throws Exception {
        Files.write(directory.resolve("file"), new byte[100]);
        Opened file = client.opened("file", 1, 0, new OpenHow.NoCreate());
        Op read = out -> Read.encodeArgs(out, new Read.Args(file.stateId(), 0, 100));
        Reply reply = client.withCapacity(new long[] {10, 20}, fh(file.handle()), read, read);
        reply.ok(Opcode.PUTFH, Opcode.READ);
        assertThat(Read.decodeResult(reply.in).data().remaining()).isEqualTo(10);
        reply.ok(Opcode.READ);
        assertThat(Read.decodeResult(reply.in).data().remaining()).isEqualTo(20);
    }

    @Test
    @Proves({"V1-6.2-1", "ULB-5.4.1-1", "ULB-5.4.1-5"})
    @DisplayName("READLINK takes the chunk of its position, so that READ's stays READ's; a READ behind them has none")
    void shouldGiveALinksTextAChunkOfItsOwn() throws Exception {
        Files.write(directory.resolve("file"), new byte[100]);
        Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        Opened file = client.opened("file", 1, 0, new OpenHow.NoCreate());
        Op read = out -> Read.encodeArgs(out, new Read.Args(file.stateId(), 0, 100));
        Reply reply = client.withCapacity(
                new long[] {60, 20}, root(), look("link"), ReadLink::encodeArgs, fh(file.handle()), read, read);
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP, Opcode.READLINK);
        assertThat(ReadLink.decodeResult(reply.in).text()).isEqualTo("file");
        reply.ok(Opcode.PUTFH, Opcode.READ);
        assertThat(Read.decodeResult(reply.in).data().remaining()).isEqualTo(20);
        reply.ok(Opcode.READ);
        assertThat(Read.decodeResult(reply.in).data().remaining()).isEqualTo(100);
    }

    @Test
    void shouldAnswerWhatTheNameIsWrongWith() throws Exception {
        assertThat(client.inSession(root(), look("..")).status()).isEqualTo(Status.NFS4ERR_BADNAME);
        assertThat(client.inSession(root(), look(".")).status()).isEqualTo(Status.NFS4ERR_BADNAME);
        assertThat(client.inSession(root(), look("a/b")).status()).isEqualTo(Status.NFS4ERR_BADNAME);
        assertThat(client.inSession(root(), look("")).status()).isEqualTo(Status.NFS4ERR_INVAL);
        assertThat(client.inSession(root(), look("a\0b")).status()).isEqualTo(Status.NFS4ERR_BADCHAR);
        assertThat(client.inSession(root(), look("x".repeat(256))).status()).isEqualTo(Status.NFS4ERR_NAMETOOLONG);
        assertThat(client.inSession(root(), look("none")).status()).isEqualTo(Status.NFS4ERR_NOENT);
        assertThat(client.inSession(look("none")).status()).isEqualTo(Status.NFS4ERR_NOFILEHANDLE);
    }

    @Test
    void shouldFindTheRootUnderTheExportsName() throws Exception {
        assertThat(client.handle("docs")).isEqualTo(client.handle());
    }

    @Test
    void shouldTakeNamesThatAreNotUtf8() throws Exception {
        Op odd = out -> out.putInt(Opcode.LOOKUP).putOpaque(new byte[] {(byte) 0xff, (byte) 0xfe});
        assertThat(client.inSession(root(), odd).status()).isEqualTo(Status.NFS4ERR_NOENT);
    }

    @Test
    void shouldMapTheFileSystemsErrors() throws Exception {
        Files.writeString(directory.resolve("file"), "x");
        Files.createDirectories(directory.resolve("full/inner"));
        assertThat(client.inSession(root(), look("file"), look("x")).status()).isEqualTo(Status.NFS4ERR_NOTDIR);
        assertThat(client.inSession(root(), remove("full")).status()).isEqualTo(Status.NFS4ERR_NOTEMPTY);
        assertThat(client.inSession(root(), remove("none")).status()).isEqualTo(Status.NFS4ERR_NOENT);
        assertThat(client.inSession(root(), create(Create.directory("file", Attributes.EMPTY)))
                        .status())
                .isEqualTo(Status.NFS4ERR_EXIST);
        assertThat(client.statusOfOpen("full", 1, 0, new OpenHow.NoCreate())).isEqualTo(Status.NFS4ERR_ISDIR);
        assertThat(client.inSession(root(), SaveFh::encodeArgs, root(), rename("file", "full"))
                        .status())
                .isEqualTo(Status.NFS4ERR_EXIST);
        assertThat(client.inSession(root(), SaveFh::encodeArgs, look("full"), rename("full", "self"))
                        .status())
                .isEqualTo(Status.NFS4ERR_INVAL);
    }

    @Test
    void shouldMakeRenameLinkAndRemove() throws Exception {
        Attributes mode = Attributes.builder().put(Attribute.MODE, 02750).build();
        assertThat(client.inSession(root(), create(Create.directory("dir", mode)))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat((int) Files.getAttribute(directory.resolve("dir"), "unix:mode") & 07777)
                .isEqualTo(02750);
        client.close(client.opened("file", 3, 0, unchecked(0644)));
        Op link = out -> Link.encodeArgs(out, new Link.Args("linked"));
        assertThat(client.inSession(root(), look("file"), SaveFh::encodeArgs, root(), look("dir"), link)
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(client.attributesOf(client.handle("file"), Attribute.NUMLINKS)
                        .get(Attribute.NUMLINKS))
                .isEqualTo(2);
        assertThat(client.handle("dir", "linked")).isEqualTo(client.handle("file"));
        assertThat(client.inSession(root(), SaveFh::encodeArgs, look("dir"), rename("file", "moved"))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(directory.resolve("dir/moved")).exists();
        assertThat(client.inSession(root(), look("dir"), remove("moved")).status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(client.inSession(root(), look("dir"), remove("linked")).status())
                .isEqualTo(Status.NFS4_OK);
        assertThat(client.inSession(root(), remove("dir")).status()).isEqualTo(Status.NFS4_OK);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldGiveLinksBackAsTheyAre() throws Exception {
        assertThat(client.inSession(root(), create(Create.symbolicLink("link", "../../etc/passwd", Attributes.EMPTY)))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        Reply reply = client.inSession(root(), look("link"), ReadLink::encodeArgs);
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP, Opcode.READLINK);
        assertThat(ReadLink.decodeResult(reply.in).text()).isEqualTo("../../etc/passwd");
        assertThat(client.statusOfOpen("link", 1, 0, new OpenHow.NoCreate())).isEqualTo(Status.NFS4ERR_SYMLINK);
        assertThat(client.inSession(root(), look("link"), look("x")).status()).isEqualTo(Status.NFS4ERR_SYMLINK);
    }

    @Test
    void shouldSetTheTimesOfALinkAndNotOfWhatItLeadsTo() throws Exception {
        FileTime before = Files.getLastModifiedTime(Files.writeString(directory.resolve("file"), "x"));
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("file"));
        NfsTime time = NfsTime.of(Instant.parse("2020-02-02T02:02:02Z"));
        Attributes times = Attributes.builder()
                .put(Attribute.TIME_MODIFY_SET, new SetTime(time))
                .build();

        assertThat(client.setAttributes(client.handle("link"), times)).isEqualTo(Status.NFS4_OK);

        assertThat(Files.getLastModifiedTime(link, LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(FileTime.from(time.toInstant()));
        assertThat(Files.getLastModifiedTime(link)).isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(
            value = ObjectType.class,
            names = {"NF4FIFO", "NF4SOCK"})
    void shouldMakeFifosAndSockets(ObjectType type) throws Exception {
        Reply reply = client.inSession(root(), create(new Create.Args(type, null, null, "x", Attributes.EMPTY)));

        assertThat(reply.status()).isEqualTo(Status.NFS4_OK);
        int mode = (int) Files.getAttribute(directory.resolve("x"), "unix:mode");
        assertThat(mode & UnixAttributes.TYPE_MASK)
                .isEqualTo(type == ObjectType.NF4FIFO ? UnixAttributes.FIFO : UnixAttributes.SOCKET);
    }

    @ParameterizedTest
    @CsvSource({"NF4REG, NFS4ERR_BADTYPE", "NF4CHR, NFS4ERR_PERM", "NF4BLK, NFS4ERR_PERM"})
    void shouldMakeNeitherRegularFilesByCreateNorDevicesForUsers(ObjectType type, Status status) throws Exception {
        DeviceNumbers device = new DeviceNumbers(1, 3);
        client.as(4711, 4711);
        Reply reply = client.inSession(root(), create(new Create.Args(type, null, device, "x", Attributes.EMPTY)));

        assertThat(reply.status()).isEqualTo(status);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldSetAttributes() throws Exception {
        Path path = Files.writeString(directory.resolve("file"), "12345678");
        NfsTime time = NfsTime.of(Instant.parse("2020-02-02T02:02:02Z"));
        Attributes all = Attributes.builder()
                .put(Attribute.SIZE, 4L)
                .put(Attribute.MODE, 0600)
                .put(Attribute.TIME_MODIFY_SET, new SetTime(time))
                .build();
        assertThat(client.setAttributes(client.handle("file"), all)).isEqualTo(Status.NFS4_OK);
        assertThat(path).hasContent("1234");
        assertThat(Files.getLastModifiedTime(path)).isEqualTo(FileTime.from(time.toInstant()));
        Attributes longer = Attributes.builder().put(Attribute.SIZE, 10L).build();
        assertThat(client.setAttributes(client.handle("file"), longer)).isEqualTo(Status.NFS4_OK);
        assertThat(path).hasContent("1234\0\0\0\0\0\0");
        Attributes readOnly = Attributes.builder().put(Attribute.FILEID, 1L).build();
        assertThat(client.setAttributes(client.handle("file"), readOnly)).isEqualTo(Status.NFS4ERR_INVAL);
        Attributes unknown = Attributes.builder().put(Attribute.HIDDEN, true).build();
        assertThat(client.setAttributes(client.handle("file"), unknown)).isEqualTo(Status.NFS4ERR_ATTRNOTSUPP);
        Attributes named =
                Attributes.builder().put(Attribute.OWNER, "root@nowhere").build();
        assertThat(client.setAttributes(client.handle("file"), named)).isEqualTo(Status.NFS4ERR_BADOWNER);
    }

    @Test
    void shouldSetTimesBefore1970() throws Exception {
        Path path = Files.writeString(directory.resolve("file"), "x");
        NfsTime time = NfsTime.of(Instant.parse("1960-01-02T03:04:05.6Z"));
        Attributes times = Attributes.builder()
                .put(Attribute.TIME_ACCESS_SET, new SetTime(time))
                .put(Attribute.TIME_MODIFY_SET, new SetTime(time))
                .build();
        assertThat(client.setAttributes(client.handle("file"), times)).isEqualTo(Status.NFS4_OK);
        assertThat(Files.getLastModifiedTime(path)).isEqualTo(FileTime.from(time.toInstant()));
    }

    @Test
    void shouldChangeTheChangeAttributeWithEachWrite() throws Exception {
        Opened file = client.opened("file", 3, 0, unchecked(0644));
        long last = -1;
        for (int i = 0; i < 20; i++) {
            client.write(file, 0, "x", StableHow.UNSTABLE4);
            long change = client.attributesOf(file.handle(), Attribute.CHANGE).get(Attribute.CHANGE);
            assertThat(change).isGreaterThan(last);
            last = change;
        }
    }

    @Test
    void shouldAnswerARepeatedExclusiveCreateAndRefuseAnother() throws Exception {
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0644).build();
        OpenHow how = new OpenHow.ExclusiveWithAttributes(77, mode);
        Opened first = client.opened("file", 3, 0, how);
        Opened again = client.opened("file", 3, 0, how);
        assertThat(again.handle()).isEqualTo(first.handle());
        assertThat(client.statusOfOpen("file", 3, 0, new OpenHow.ExclusiveWithAttributes(78, mode)))
                .isEqualTo(Status.NFS4ERR_EXIST);
        assertThat(client.statusOfOpen("file", 3, 0, new OpenHow.Guarded(mode))).isEqualTo(Status.NFS4ERR_EXIST);
    }

    @Test
    void shouldTruncateWhatIsOpenedUncheckedWithSizeZero() throws Exception {
        Path path = Files.writeString(directory.resolve("file"), "old");
        Attributes empty = Attributes.builder().put(Attribute.SIZE, 0L).build();
        client.opened("file", 3, 0, new OpenHow.Unchecked(empty));
        assertThat(path).isEmptyFile();
    }

    @Test
    void shouldRefuseEveryChangeOfAReadOnlyExport() throws Exception {
        Files.writeString(directory.resolve("file"), "x");
        restart(settings().withReadOnly(true));
        clock.addAndGet(Duration.ofSeconds(100).toNanos());
        client = TestClient.connected(server, "second");
        assertThat(client.statusOfOpen("file", 2, 0, new OpenHow.NoCreate())).isEqualTo(Status.NFS4ERR_ROFS);
        assertThat(client.statusOfOpen("new", 3, 0, unchecked(0644))).isEqualTo(Status.NFS4ERR_ROFS);
        assertThat(client.inSession(root(), remove("file")).status()).isEqualTo(Status.NFS4ERR_ROFS);
        assertThat(client.inSession(root(), create(Create.directory("dir", Attributes.EMPTY)))
                        .status())
                .isEqualTo(Status.NFS4ERR_ROFS);
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0600).build();
        assertThat(client.setAttributes(client.handle("file"), mode)).isEqualTo(Status.NFS4ERR_ROFS);
        ByteBuffer data = ByteBuffer.allocate(1);
        assertThat(client.inSession(
                                fh(client.handle("file")),
                                out -> Write.encodeArgs(
                                        out, new Write.Args(StateId.ANONYMOUS, 0, StableHow.UNSTABLE4, data)))
                        .status())
                .isEqualTo(Status.NFS4ERR_ROFS);
        assertThat(client.read(client.opened("file", 1, 0, new OpenHow.NoCreate()), 0, 9))
                .isEqualTo("x");
    }

    @Test
    void shouldCheckPermissionsByTheModeBits() throws Exception {
        Path secret = Files.writeString(directory.resolve("secret"), "x");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-r-----"));
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
        int group = (int) Files.getAttribute(secret, "unix:gid");
        client.as(1000, 1000);
        assertThat(client.statusOfOpen("secret", 1, 0, new OpenHow.NoCreate())).isEqualTo(Status.NFS4ERR_ACCESS);
        assertThat(client.inSession(root(), remove("secret")).status()).isEqualTo(Status.NFS4ERR_ACCESS);
        assertThat(client.statusOfOpen("new", 3, 0, unchecked(0644))).isEqualTo(Status.NFS4ERR_ACCESS);
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0666).build();
        assertThat(client.setAttributes(client.handle("secret"), mode)).isEqualTo(Status.NFS4ERR_PERM);
        assertThat(allowed("secret")).isZero();
        client.as(1000, 1000, group);
        assertThat(allowed("secret")).isEqualTo(Access.READ);
        assertThat(client.statusOfOpen("secret", 1, 0, new OpenHow.NoCreate())).isEqualTo(Status.NFS4_OK);
        assertThat(client.statusOfOpen("secret", 2, 0, new OpenHow.NoCreate())).isEqualTo(Status.NFS4ERR_ACCESS);
        client.as(0, 0);
        assertThat(allowed("secret")).isEqualTo(Access.READ | Access.MODIFY | Access.EXTEND);
    }

    private int allowed(String name) throws Exception {
        Reply reply = client.inSession(root(), look(name), out -> Access.encodeArgs(out, new Access.Args(0x3f)));
        reply.ok(Opcode.PUTROOTFH, Opcode.LOOKUP, Opcode.ACCESS);
        return Access.decodeResult(reply.in).access();
    }

    @Test
    void shouldTellLinuxWhatItNeedsToMount() throws Exception {
        Attributes of = client.attributesOf(
                client.handle(),
                Attribute.SUPPORTED_ATTRS,
                Attribute.FSID,
                Attribute.LEASE_TIME,
                Attribute.MAXREAD,
                Attribute.MAXWRITE,
                Attribute.FILEID,
                Attribute.MOUNTED_ON_FILEID,
                Attribute.FH_EXPIRE_TYPE);
        assertThat(of.get(Attribute.SUPPORTED_ATTRS)
                        .minus(Attribute.REQUIRED)
                        .and(Attribute.REQUIRED)
                        .isEmpty())
                .isTrue();
        assertThat(Attribute.REQUIRED.minus(of.get(Attribute.SUPPORTED_ATTRS)).isEmpty())
                .isTrue();
        assertThat(of.get(Attribute.LEASE_TIME)).isEqualTo(90);
        assertThat(of.get(Attribute.MAXREAD)).isEqualTo(1L << 20);
        assertThat(of.get(Attribute.FH_EXPIRE_TYPE)).isZero();
    }

    @Test
    @EnabledIf("isRoot") // only root may give files away
    void shouldSquashWhoIsNotTakenAtTheirWord() throws Exception {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        restart(settings().withSquash(new Squash(Squash.Mode.ROOT, 4711, 4712)));
        clock.addAndGet(Duration.ofSeconds(100).toNanos());
        client = TestClient.connected(server, "second");
        client.opened("of-nobody", 3, 0, unchecked(0644));
        client.as(1000, 1001);
        client.opened("of-somebody", 3, 0, unchecked(0644));
        assertThat(ownerOf("of-nobody")).isEqualTo("4711:4712");
        assertThat(ownerOf("of-somebody")).isEqualTo("1000:1001");
    }

    static boolean isRoot() throws Exception {
        return Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
    }

    private String ownerOf(String name) throws Exception {
        Attributes of = client.attributesOf(client.handle(name), Attribute.OWNER, Attribute.OWNER_GROUP);
        return of.get(Attribute.OWNER) + ":" + of.get(Attribute.OWNER_GROUP);
    }
}
