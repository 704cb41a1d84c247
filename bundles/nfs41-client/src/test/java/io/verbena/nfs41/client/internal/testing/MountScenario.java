package io.verbena.nfs41.client.internal.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/** What a user does with a mount, whatever server is behind it; in a directory of its own. */
public final class MountScenario {
    private static final int MEBIBYTE = 1 << 20;

    private final NfsMount mount;
    private final String base;

    public MountScenario(NfsMount mount) throws IOException {
        this.mount = mount;
        this.base = "/verbena-" + Long.toHexString(System.nanoTime());
        mount.createDirectory(base, 0755);
    }

    public void run(int mebibytes, int names) throws Exception {
        writeAndRead(mebibytes);
        goThroughChannel(mebibytes);
        list(names);
        renameAndLink();
        followSymbolicLinks();
        lock();
        changeAttributes();
        createOnlyOnce();
        reportErrors();
        writeBeyondFourGibibytes();
        removeAll("");
        assertThatThrownBy(() -> mount.attributes(base, true)).isInstanceOf(NoSuchFileException.class);
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(length).nextBytes(content);
        return content;
    }

    private static byte[] sha256(byte[] content) throws NoSuchAlgorithmException {
        return MessageDigest.getInstance("SHA-256").digest(content);
    }

    private RemoteFile open(String name, StandardOpenOption... options) throws IOException {
        return mount.open(base + name, Set.of(options), 0640);
    }

    private void writeAndRead(int mebibytes) throws Exception {
        byte[] content = content(mebibytes * MEBIBYTE + 4321);
        ByteBuffer direct =
                ByteBuffer.allocateDirect(content.length).put(content).flip();
        try (RemoteFile file = open("/data", StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(direct, 0);
            assertThat(direct.hasRemaining()).isFalse();
            file.sync();
            assertThat(file.attributes().size()).isEqualTo(content.length);
        }
        FileAttributes attributes = mount.attributes(base + "/data", true);
        assertThat(attributes.isRegularFile()).isTrue();
        assertThat(attributes.mode()).isEqualTo(0640);
        try (RemoteFile file = open("/data", StandardOpenOption.READ)) {
            direct.clear();
            assertThat(file.read(direct, 0)).isEqualTo(content.length);
            assertThat(sha256(bytes(direct.flip()))).isEqualTo(sha256(content));
            ByteBuffer heap = ByteBuffer.allocate(1000);
            assertThat(file.read(heap, content.length - 100L)).isEqualTo(100);
            assertThat(file.read(heap, content.length)).isEqualTo(-1);
            assertThat(Arrays.copyOf(heap.array(), 100))
                    .isEqualTo(Arrays.copyOfRange(content, content.length - 100, content.length));
        }
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private void goThroughChannel(int mebibytes) throws Exception {
        byte[] content = content(mebibytes * MEBIBYTE / 2 + 17);
        try (RemoteFile file = open("/stream", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
                SeekableByteChannel channel = file.channel()) {
            for (int at = 0; at < content.length; at += 10_000) {
                int length = Math.min(10_000, content.length - at);
                assertThat(channel.write(ByteBuffer.wrap(content, at, length))).isEqualTo(length);
            }
            assertThat(channel.size()).isEqualTo(content.length);
        }
        try (RemoteFile file = open("/stream", StandardOpenOption.READ);
                SeekableByteChannel channel = file.channel()) {
            ByteBuffer all = ByteBuffer.allocate(content.length);
            ByteBuffer piece = ByteBuffer.allocate(30_000);
            while (channel.read(piece) >= 0) {
                all.put(piece.flip());
                piece.clear();
            }
            assertThat(sha256(all.array())).isEqualTo(sha256(content));
        }
    }

    private void list(int names) throws Exception {
        mount.createDirectory(base + "/many", 0755);
        for (int i = 0; i < names; i++) {
            mount.createDirectory(base + "/many/entry-" + i, 0700);
        }
        Set<String> found = new HashSet<>();
        for (DirectoryEntry entry : mount.entries(base + "/many")) {
            assertThat(entry.attributes().isDirectory()).isTrue();
            assertThat(found.add(entry.name())).isTrue();
        }
        assertThat(found).hasSize(names).contains("entry-0", "entry-" + (names - 1));
        assertThat(mount.list(base + "/many")).hasSize(names);
    }

    private void renameAndLink() throws Exception {
        mount.rename(base + "/stream", base + "/many/../moved");
        assertThatThrownBy(() -> mount.attributes(base + "/stream", true)).isInstanceOf(NoSuchFileException.class);
        mount.createLink(base + "/other-name", base + "/moved");
        FileAttributes attributes = mount.attributes(base + "/other-name", true);
        assertThat(attributes.linkCount()).isEqualTo(2);
        assertThat(attributes.fileId())
                .isEqualTo(mount.attributes(base + "/moved", true).fileId());
    }

    private void followSymbolicLinks() throws Exception {
        mount.createSymbolicLink(base + "/link", "many");
        mount.createSymbolicLink(base + "/deep", "link/entry-1/../../absolute");
        mount.createSymbolicLink(base + "/absolute", base + "/data");
        mount.createSymbolicLink(base + "/loop", "loop");
        assertThat(mount.readLink(base + "/link")).isEqualTo("many");
        assertThat(mount.attributes(base + "/link", false).isSymbolicLink()).isTrue();
        assertThat(mount.attributes(base + "/link", true).isDirectory()).isTrue();
        assertThat(mount.attributes(base + "/link/entry-0", true).isDirectory()).isTrue();
        assertThat(mount.attributes(base + "/deep", true)).isEqualTo(mount.attributes(base + "/data", true));
        try (RemoteFile file = open("/deep", StandardOpenOption.READ)) {
            assertThat(file.read(ByteBuffer.allocate(10), 0)).isEqualTo(10);
        }
        assertThatThrownBy(() -> mount.attributes(base + "/loop", true)).isInstanceOf(FileSystemLoopException.class);
        assertThatThrownBy(() -> mount.readLink(base + "/data")).isInstanceOf(NotLinkException.class);
        assertThat(mount.attributes("/../../.." + base, true).isDirectory()).isTrue();
    }

    private void lock() throws Exception {
        try (RemoteFile file = open("/data", StandardOpenOption.READ, StandardOpenOption.WRITE);
                RemoteFile other = open("/data", StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            RemoteLock lock = file.tryLock(100, 50, false).orElseThrow();
            assertThat(file.tryLock(200, Long.MAX_VALUE, true)).isPresent();
            assertThat(other.isLocked(120, 1, true)).isTrue();
            assertThat(other.isLocked(0, 100, false)).isFalse();
            assertThat(other.isLocked(1L << 40, 1, false)).isTrue();
            assertThatThrownBy(() -> other.tryLock(149, 10, true)).isInstanceOf(OverlappingFileLockException.class);
            assertThatThrownBy(() -> file.tryLock(149, 10, true)).isInstanceOf(OverlappingFileLockException.class);
            lock.close();
            assertThat(other.tryLock(149, 10, true)).isPresent();
        }
    }

    private void changeAttributes() throws Exception {
        Instant then = Instant.parse("2020-02-02T20:20:20Z");
        AttributeChanges changes =
                AttributeChanges.NONE.withMode(0600).withTimes(then, then).withSize(5);
        FileAttributes changed = mount.setAttributes(base + "/data", changes);
        assertThat(changed.mode()).isEqualTo(0600);
        assertThat(changed.modified()).isEqualTo(then);
        assertThat(changed.size()).isEqualTo(5);
        assertThat(mount.mayAccess(base + "/data", true, true, false)).isTrue();
        assertThat(mount.fileSystemStatus(base).totalBytes()).isPositive();
    }

    private void createOnlyOnce() throws Exception {
        assertThatThrownBy(() -> open("/data", StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
                .isInstanceOf(FileAlreadyExistsException.class);
        open("/data", StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)
                .close();
        assertThat(mount.attributes(base + "/data", true).size()).isZero();
        try (RemoteFile file = open("/data", StandardOpenOption.APPEND);
                SeekableByteChannel channel = file.channel()) {
            channel.write(ByteBuffer.wrap(new byte[] {1, 2, 3}));
            channel.write(ByteBuffer.wrap(new byte[] {4, 5}));
        }
        assertThat(mount.attributes(base + "/data", true).size()).isEqualTo(5);
    }

    private void reportErrors() {
        assertThatThrownBy(() -> mount.list(base + "/data")).isInstanceOf(NotDirectoryException.class);
        assertThatThrownBy(() -> mount.remove(base + "/many")).isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> open("/none", StandardOpenOption.READ))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(mount.name() + ":" + base + "/none");
        assertThatThrownBy(() -> open("/many", StandardOpenOption.READ))
                .isInstanceOfSatisfying(
                        NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_ISDIR"));
    }

    private void writeBeyondFourGibibytes() throws Exception {
        long far = 5L << 30;
        try (RemoteFile file =
                open("/sparse", StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.READ)) {
            file.write(ByteBuffer.wrap(new byte[] {42}), far);
            // from a page's start: Linux 6.1's server reads a hole's zeros beyond it from any other offset
            ByteBuffer some = ByteBuffer.allocate(5000);
            assertThat(file.read(some, far - 4096)).isEqualTo(4097);
            assertThat(Arrays.copyOf(some.array(), 4096)).containsOnly(0);
            assertThat(some.get(4096)).isEqualTo((byte) 42);
            file.truncate(1);
            assertThat(file.attributes().size()).isEqualTo(1);
        }
    }

    private void removeAll(String path) throws IOException {
        for (DirectoryEntry entry : mount.list(base + path)) {
            if (entry.attributes().isDirectory()) {
                removeAll(path + "/" + entry.name());
            } else {
                mount.remove(base + path + "/" + entry.name());
            }
        }
        mount.remove(base + path);
    }
}
