package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.hadoop.internal.mount.SharedMounts;
import io.verbena.hadoop.internal.settings.Settings;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What hadoop-common's tests do not ask for. */
@ExtendWith(SharedExport.class)
final class NfsFileSystemTest {
    private static final byte[] CONTENT = "123456789".getBytes(StandardCharsets.US_ASCII);

    private static FileSystem fileSystem(String... settings) throws IOException {
        Configuration configuration = SharedExport.own().configuration();
        for (int i = 0; i < settings.length; i += 2) {
            configuration.set(settings[i], settings[i + 1]);
        }
        return FileSystem.newInstance(configuration);
    }

    private static void write(FileSystem files, Path path, byte[] content) throws IOException {
        try (FSDataOutputStream out = files.create(path)) {
            out.write(content);
        }
    }

    @Test
    void shouldFindBothFileSystemsAndTheCommitterByTheClassPath() throws IOException {
        try (FileSystem files = fileSystem()) {
            assertThat(files).isInstanceOf(NfsFileSystem.class);
        }

        Configuration fresh = new Configuration();
        assertThat(fresh.get("fs.AbstractFileSystem.nfs+rdma.impl")).isEqualTo(NfsAbstractFileSystem.class.getName());
        assertThat(fresh.get("mapreduce.outputcommitter.factory.scheme.nfs+rdma"))
                .isEqualTo(NfsCommitterFactory.class.getName());
    }

    /** As HDFS does, which programs rely on that end without a close. */
    @Test
    void shouldWriteWhatStreamsHaveThatAreOpenAtTheEnd() throws IOException {
        Path path = new Path("/left-open");
        try (FileSystem files = fileSystem()) {
            FSDataOutputStream left = files.create(path);
            left.write(CONTENT);
        }

        try (FileSystem files = fileSystem()) {
            assertThat(files.getFileStatus(path).getLen()).isEqualTo(CONTENT.length);
        }
    }

    @Test
    void shouldNameTheKeyAndWhatIsAllowed() {
        assertThatThrownBy(() -> fileSystem("fs.verbena.home", "//server/user"))
                .isInstanceOf(IOException.class)
                .hasMessage("fs.verbena.home cannot be '//server/user'; allowed: a path that begins with one slash");
        assertThatThrownBy(() -> fileSystem("fs.verbena.read.policy", "fast"))
                .isInstanceOf(IOException.class)
                .hasMessage("fs.verbena.read.policy cannot be 'fast'; allowed: adaptive, sequential or random");
        assertThatThrownBy(() -> fileSystem("fs.verbena.block.size", "1k"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("fs.verbena.block.size cannot be '1k'; allowed: a number from 1048576 to ");
        assertThatThrownBy(() -> fileSystem("fs.verbena.chekcsum", "none"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(
                        "There is no key fs.verbena.chekcsum: did you mean fs.verbena.checksum? Known are ");
        assertThatThrownBy(() -> fileSystem("fs.verbena.options", "rsiz=65536"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("fs.verbena.options cannot be 'rsiz=65536'; unknown mount option 'rsiz'")
                .hasMessageContaining("did you mean 'rsize'");
        assertThatThrownBy(() -> fileSystem("fs.verbena.server.example.com.identity", "me"))
                .isInstanceOf(IOException.class)
                .hasMessage("fs.verbena.server.example.com.identity cannot be 'me'; allowed: ugi or process");
        assertThatThrownBy(() -> fileSystem("fs.verbena.user.alice", "alice"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("fs.verbena.user.alice cannot be 'alice'; allowed: uid:gid");
        assertThatThrownBy(() -> fileSystem("fs.verbena.user.alice", "1000:4294967296"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("fs.verbena.user.alice cannot be '1000:4294967296'; allowed: uid:gid");
    }

    @Test
    void shouldSayWhichPortsThereAre() {
        for (String port : new String[] {"0", "65536"}) {
            assertThatThrownBy(() -> FileSystem.newInstance(
                            URI.create("nfs+rdma://127.0.0.1:" + port + "/"),
                            SharedExport.own().configuration()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("a number from 1 to 65535");
        }
    }

    @Test
    void shouldSayThatADirectoryIsGoneThatVanishesWhileItIsListed() throws IOException {
        Path directory = new Path("/vanishing");
        int count = 2_000; // several pages: some are there before they are asked for
        try (FileSystem files = fileSystem()) {
            java.nio.file.Path exported = SharedExport.own().directory().resolve("vanishing");
            assertThat(files.mkdirs(directory)).isTrue();
            for (int i = 0; i < count; i++) {
                Files.createFile(exported.resolve("entry" + i));
            }
            RemoteIterator<FileStatus> listed = files.listStatusIterator(directory);
            assertThat(listed.hasNext()).isTrue();
            for (int i = 0; i < count; i++) {
                Files.delete(exported.resolve("entry" + i));
            }
            Files.delete(exported);

            assertThatThrownBy(() -> {
                        while (listed.hasNext()) {
                            FileStatus unused = listed.next();
                        }
                    })
                    .isInstanceOf(FileNotFoundException.class);
        }
    }

    @Test
    void shouldPreferTheKeyOfTheServer() throws IOException {
        Configuration configuration = new Configuration(false);
        configuration.set("fs.verbena.locations", "a");
        configuration.set("fs.verbena.server.storage.example.com.locations", "b, c");

        assertThat(Settings.of(configuration, "storage.example.com").locations("x"))
                .containsExactly("b", "c");
        assertThat(Settings.of(configuration, "other").locations("x")).containsExactly("a");
    }

    @Test
    void shouldTakeThePortOfTheUriThenThatOfTheOptions() throws IOException {
        Configuration configuration = new Configuration(false);
        Settings plain = Settings.of(configuration, "server");
        assertThat(plain.mountOptions(-1, "")).isEqualTo(plain.mountOptions(20049, ""));

        configuration.set("fs.verbena.options", "port=7");
        Settings other = Settings.of(configuration, "server");
        assertThat(other.mountOptions(-1, "").toString()).isEqualTo("port=7");
        assertThat(other.mountOptions(8, "uid=1").toString()).contains("port=8").contains("uid=1");
    }

    @Test
    void shouldShareOneMountAndKeepUsersApart() throws IOException {
        URI uri = SharedExport.own().uri();
        Configuration configuration = SharedExport.own().configurationOfProcess();
        configuration.unset("fs.verbena.identity");
        configuration.set("fs.verbena.user.alice", "4711:4711:27");
        Settings settings = Settings.of(configuration, uri.getHost());
        UserGroupInformation process = UserGroupInformation.createRemoteUser(System.getProperty("user.name"));
        UserGroupInformation alice = UserGroupInformation.createRemoteUser("alice");

        try (SharedMounts.Part one = SharedMounts.acquire(uri.getHost(), uri.getPort(), process, settings);
                SharedMounts.Part two = SharedMounts.acquire(uri.getHost(), uri.getPort(), process, settings);
                SharedMounts.Part other = SharedMounts.acquire(uri.getHost(), uri.getPort(), alice, settings)) {
            assertThat(two.mount()).isSameAs(one.mount());
            assertThat(other.mount()).isNotSameAs(one.mount());
            assertThat(other.mount().settings().toString()).contains("4711");
        }
        assertThatThrownBy(() -> SharedMounts.acquire(
                        uri.getHost(), uri.getPort(), UserGroupInformation.createRemoteUser("no such user"), settings))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("set fs.verbena.user.no such user to uid:gid");
    }

    /** Who submits a job has to own its staging directory, by the name that Hadoop has. */
    @Test
    void shouldMakeFilesAsTheUserOfHadoop() throws Exception {
        Configuration configuration = SharedExport.own().configurationOfProcess();
        configuration.unset("fs.verbena.identity");
        configuration.set("fs.verbena.user.alice", "4711:4711");
        Path directory = new Path("/shared");
        try (FileSystem files = FileSystem.newInstance(SharedExport.own().configuration())) {
            assertThat(files.mkdirs(directory)).isTrue();
            files.setPermission(directory, new FsPermission((short) 0_777));
        }

        String owner = UserGroupInformation.createRemoteUser("alice")
                .doAs((java.security.PrivilegedExceptionAction<String>) () -> {
                    try (FileSystem files = FileSystem.newInstance(configuration)) {
                        write(files, new Path(directory, "file"), CONTENT);
                        files.setOwner(new Path(directory, "file"), "alice", null);
                        return files.getFileStatus(new Path(directory, "file")).getOwner();
                    }
                });

        assertThat(owner).isEqualTo("alice");
        try (FileSystem files = fileSystem()) {
            assertThat(files.listStatus(directory)[0].getOwner()).isEqualTo("4711");
        }
    }

    @Test
    void shouldNameThisUserAsOwnerWhereAnotherOneHasTheSameNumber() throws Exception {
        Configuration configuration = SharedExport.own().configurationOfProcess();
        configuration.unset("fs.verbena.identity");
        configuration.set("fs.verbena.user.alice", "4711:4711");
        configuration.set("fs.verbena.user.bob", "4711:4711");
        Path directory = new Path("/same");
        try (FileSystem files = fileSystem()) {
            assertThat(files.mkdirs(directory)).isTrue();
            files.setPermission(directory, new FsPermission((short) 0_777));
        }

        for (String name : List.of("alice", "bob")) {
            String owner = UserGroupInformation.createRemoteUser(name)
                    .doAs((java.security.PrivilegedExceptionAction<String>) () -> {
                        try (FileSystem files = FileSystem.newInstance(configuration)) {
                            write(files, new Path(directory, name), CONTENT);
                            return files.getFileStatus(new Path(directory, name))
                                    .getOwner();
                        }
                    });
            assertThat(owner).isEqualTo(name);
        }
    }

    /** The user of the process needs no numbers in the configuration. */
    @Test
    void shouldNameTheUserOfTheProcessAsOwnerThoughTheConfigurationGivesHisNumberToAnotherOne() throws Exception {
        Object number = Files.getAttribute(SharedExport.own().directory().getParent(), "unix:uid");
        Configuration configuration = SharedExport.own().configurationOfProcess();
        configuration.set("fs.verbena.user.alice", number + ":4711");
        try (FileSystem files = FileSystem.newInstance(configuration)) {
            Path file = new Path("/own");
            write(files, file, CONTENT);
            assertThat(files.getFileStatus(file).getOwner())
                    .isEqualTo(UserGroupInformation.getCurrentUser().getShortUserName());
        }
    }

    @Test
    void shouldListPageByPageAndTakeAnyName() throws IOException {
        try (FileSystem files = fileSystem()) {
            Path directory = new Path("/names");
            assertThat(files.mkdirs(directory)).isTrue();
            List<String> names = new ArrayList<>(List.of("a:b", "a b", "a%20b", "*", "?", "\u00e9"));
            for (int i = 0; i < 600; i++) {
                names.add("n" + i);
            }
            for (String name : names) {
                Files.createFile(SharedExport.own().directory().resolve("names").resolve(name));
            }

            List<String> found = new ArrayList<>();
            RemoteIterator<FileStatus> entries = files.listStatusIterator(directory);
            while (entries.hasNext()) {
                Path path = entries.next().getPath();
                assertThat(files.getFileStatus(path).isFile()).isTrue();
                found.add(path.getName());
            }

            assertThat(found).containsExactlyInAnyOrderElementsOf(names);
        }
    }

    @Test
    void shouldFollowLinksAndListThoseThatLeadNowhereAsLinks() throws IOException {
        try (FileSystem files = fileSystem()) {
            java.nio.file.Path directory =
                    Files.createDirectory(SharedExport.own().directory().resolve("links"));
            Files.write(directory.resolve("file"), CONTENT);
            Files.createSymbolicLink(directory.resolve("good"), java.nio.file.Path.of("file"));
            Files.createSymbolicLink(directory.resolve("nowhere"), java.nio.file.Path.of("missing"));

            FileStatus[] statuses = files.listStatus(new Path("/links"));

            assertThat(statuses).hasSize(3);
            for (FileStatus status : statuses) {
                boolean leadsNowhere = status.getPath().getName().equals("nowhere");
                assertThat(status.isSymlink()).isEqualTo(leadsNowhere);
                if (!leadsNowhere) {
                    assertThat(status.getLen()).isEqualTo(CONTENT.length);
                }
            }
        }
    }

    @Test
    void shouldGiveEachBlockTheConfiguredHosts() throws IOException {
        try (FileSystem files = fileSystem("fs.verbena.block.size", "1m", "fs.verbena.locations", "one,two")) {
            Path path = new Path("/blocks");
            write(files, path, new byte[(2 << 20) + 5]);
            FileStatus status = files.getFileStatus(path);

            BlockLocation[] all = files.getFileBlockLocations(status, 0, status.getLen());
            BlockLocation[] second = files.getFileBlockLocations(status, (1 << 20) + 7, 1);

            assertThat(status.getBlockSize()).isEqualTo(1 << 20);
            assertThat(all).hasSize(3);
            assertThat(all[2].getOffset()).isEqualTo(2 << 20);
            assertThat(all[2].getLength()).isEqualTo(5);
            assertThat(all[2].getHosts()).containsExactly("one", "two");
            assertThat(second).hasSize(1);
            assertThat(second[0].getOffset()).isEqualTo(1 << 20);
            assertThat(files.getFileBlockLocations(status, status.getLen(), 1)).isEmpty();
        }
    }

    @Test
    void shouldComputeTheChecksumThatHdfsComposes() throws IOException {
        try (FileSystem files = fileSystem();
                FileSystem without = fileSystem("fs.verbena.checksum", "none")) {
            Path path = new Path("/checksum");
            write(files, path, CONTENT);

            FileChecksum checksum = files.getFileChecksum(path);

            assertThat(checksum.getAlgorithmName()).isEqualTo("COMPOSITE-CRC32C");
            assertThat(ByteBuffer.wrap(checksum.getBytes()).getInt()).isEqualTo(0xe3069283); // RFC 3720 appendix B.4
            CRC32C first = new CRC32C();
            first.update(CONTENT, 0, 4);
            assertThat(ByteBuffer.wrap(files.getFileChecksum(path, 4).getBytes())
                            .getInt())
                    .isEqualTo((int) first.getValue());
            assertThat(without.getFileChecksum(path)).isNull();
        }
    }

    @Test
    void shouldReadRangesIntoDirectBuffersWhileOthersReadTheStream() throws Exception {
        try (FileSystem files = fileSystem()) {
            byte[] content = new byte[3 << 20];
            for (int i = 0; i < content.length; i++) {
                content[i] = (byte) ((i * 31) >>> 8);
            }
            Path path = new Path("/ranges");
            write(files, path, content);
            List<FileRange> ranges = new ArrayList<>();
            for (int i = 0; i < 48; i++) {
                ranges.add(FileRange.createFileRange(i * 65_536L, 65_536));
            }

            try (FSDataInputStream in = files.open(path)) {
                in.readVectored(ranges, ByteBuffer::allocateDirect);
                byte[] whole = new byte[content.length];
                in.readFully(whole);

                assertThat(whole).isEqualTo(content);
                for (FileRange range : ranges) {
                    int offset = (int) range.getOffset();
                    assertThat(range.getData().get()).isEqualTo(ByteBuffer.wrap(content, offset, range.getLength()));
                }
                assertThat(in.getIOStatistics()
                                .counters()
                                .get(StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES))
                        .isEqualTo(48);
            }
            assertThat(((NfsFileSystem) files).getIOStatistics().counters())
                    .containsEntry(StreamStatisticNames.STREAM_READ_BYTES, 2L * content.length)
                    .containsEntry(StoreStatisticNames.OP_OPEN, 1L);
        }
    }

    @Test
    void shouldTakeANameOnceAndReplaceOnlyWhereAsked() throws IOException {
        FileContext context = FileContext.getFileContext(
                SharedExport.own().uri(), SharedExport.own().configuration());
        java.nio.file.Path directory =
                Files.createDirectory(SharedExport.own().directory().resolve("taken"));
        Files.setAttribute(
                directory, "unix:uid", Files.getAttribute(SharedExport.own().directory(), "unix:uid"));
        for (String name : List.of("one", "two")) {
            context.create(new Path("/taken", name), EnumSet.of(CreateFlag.CREATE))
                    .close();
        }
        Object key = Files.getAttribute(directory.resolve("one"), "unix:ino");
        Object other = Files.getAttribute(directory.resolve("two"), "unix:ino");
        Path target = new Path("/taken/target");

        context.rename(new Path("/taken/one"), target);
        assertThatThrownBy(() -> context.rename(new Path("/taken/two"), target))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThat(Files.getAttribute(directory.resolve("target"), "unix:ino")).isEqualTo(key);
        assertThat(directory.resolve("one")).doesNotExist();

        context.rename(new Path("/taken/two"), target, Options.Rename.OVERWRITE);
        assertThat(Files.getAttribute(directory.resolve("target"), "unix:ino")).isEqualTo(other);
    }

    @Test
    void shouldKeepTheSetGroupBitOfADirectory() throws IOException {
        java.nio.file.Path directory =
                Files.createDirectory(SharedExport.own().directory().resolve("setgid"));
        Files.setAttribute(directory, "unix:mode", 0_2755);
        try (FileSystem files = FileSystem.newInstance(SharedExport.own().configurationOfProcess())) {
            files.setPermission(new Path("/setgid"), new FsPermission((short) 0_750));
        }

        assertThat((int) Files.getAttribute(directory, "unix:mode") & 0_7777).isEqualTo(0_2750);
    }

    /** The mount that file systems of these settings share. */
    private static SharedMounts.Part mount() throws IOException {
        URI uri = SharedExport.own().uri();
        return SharedMounts.acquire(
                uri.getHost(),
                uri.getPort(),
                UserGroupInformation.getCurrentUser(),
                Settings.of(SharedExport.own().configuration(), uri.getHost()));
    }

    private static long requests(SharedMounts.Part part, String operation) {
        return part.mount().statistics().of(operation).count();
    }

    @Test
    void shouldFlushByWriteAndSyncByCommit() throws IOException {
        try (FileSystem files = fileSystem();
                SharedMounts.Part part = mount();
                FSDataOutputStream out = files.create(new Path("/flushed"))) {
            long writes = requests(part, "WRITE");
            long commits = requests(part, "COMMIT");
            out.write(CONTENT);
            assertThat(requests(part, "WRITE")).isEqualTo(writes);

            out.hflush();
            assertThat(requests(part, "WRITE")).isEqualTo(writes + 1);
            assertThat(requests(part, "COMMIT")).isEqualTo(commits);

            out.hsync();
            assertThat(requests(part, "WRITE")).isEqualTo(writes + 1);
            assertThat(requests(part, "COMMIT")).isEqualTo(commits + 1);
        }
    }

    @Test
    void shouldReadAheadByPolicyOnly() throws Exception {
        try (FileSystem files = fileSystem();
                SharedMounts.Part part = mount()) {
            Path path = new Path("/policies");
            write(files, path, new byte[4 << 20]);
            byte[] some = new byte[100];
            long before = requests(part, "READ");

            try (FSDataInputStream in = files.openFile(path)
                    .opt("fs.option.openfile.read.policy", "random")
                    .build()
                    .get()) {
                in.seek(1 << 20);
                in.readFully(some);
            }
            assertThat(requests(part, "READ")).isEqualTo(before + 1);

            before = requests(part, "READ");
            try (FSDataInputStream in = files.openFile(path)
                    .opt("fs.option.openfile.read.policy", "sequential")
                    .build()
                    .get()) {
                in.readFully(some);
            }
            while (requests(part, "READ") < before + 2) { // they count when they are answered
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void shouldNoLongerReadAheadOnceReadBackwards() throws IOException {
        try (FileSystem files = fileSystem()) {
            Path path = new Path("/backwards");
            write(files, path, new byte[1 << 20]);

            try (FSDataInputStream in = files.open(path)) {
                in.seek(500_000);
                assertThat(in.read()).isZero();
                in.seek(0);
                assertThat(in.read()).isZero();

                assertThat(in.getIOStatistics().counters().get(StreamStatisticNames.STREAM_READ_SEEK_POLICY_CHANGED))
                        .isEqualTo(1);
            }
        }
    }
}
