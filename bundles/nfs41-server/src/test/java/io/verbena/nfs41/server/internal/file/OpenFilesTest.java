package io.verbena.nfs41.server.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.attribute.UnixAttributes;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import io.verbena.nfs41.server.internal.vfs.TreeChanges;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class OpenFilesTest {
    private static final int LIMIT = 2;

    @TempDir
    Path directory;

    private final WriteVerifier verifier = new WriteVerifier(7);
    private final List<FailingChannel> channels = new ArrayList<>();
    private final Set<Inode> open = new HashSet<>();
    private Runnable beforeWrite = () -> {};
    private Runnable afterOpen = () -> {};
    private ExportTree tree;
    private OpenFiles files;

    @BeforeEach
    void export() throws Exception {
        tree = new ExportTree(directory, new SipHash(new byte[16], 0), 2, new SystemRuntime());
        files = new OpenFiles(tree, this::open, LIMIT, verifier, open::contains, Runnable::run, new SystemRuntime());
    }

    private OpenFile open(Inode inode, boolean write) throws IOException {
        return tree.withReference(inode, (reference, attributes) -> {
            FailingChannel channel = new FailingChannel(reference.open(write)) {
                @Override
                public int write(ByteBuffer source, long position) throws IOException {
                    beforeWrite.run();
                    return super.write(source, position);
                }
            };
            channels.add(channel);
            OpenFile opened =
                    new OpenFile(inode, channel, write, reference.duplicate().orElse(null));
            afterOpen.run();
            return opened;
        });
    }

    @AfterEach
    void close() {
        files.close();
        tree.close();
    }

    private Inode file(String name) throws IOException {
        Files.writeString(directory.resolve(name), "content");
        return tree.lookup(tree.root(), name, Caller.ROOT).inode();
    }

    private FailingChannel written(Inode inode) throws IOException {
        files.with(inode, true, file -> {
            file.write(ByteBuffer.wrap(new byte[1]), 0);
            return null;
        });
        return channels.get(channels.size() - 1);
    }

    /** As many files are used as there is room for. */
    private void pressHard() throws IOException {
        for (int i = 0; i <= LIMIT; i++) {
            written(file("another" + i));
        }
    }

    @Test
    void shouldBringWhatWasWrittenToTheDiskBeforeItClosesAFile() throws Exception {
        FailingChannel channel = written(file("file"));
        pressHard();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.forced).hasValue(1);
        assertThat(verifier.value()).isEqualTo(7);
    }

    @Test
    void shouldLookAtFewFilesWhereClientsHaveAllOfThemOpen() throws Exception {
        int many = 300;
        AtomicInteger asked = new AtomicInteger();
        try (OpenFiles full = new OpenFiles(
                tree,
                this::open,
                many,
                verifier,
                inode -> {
                    asked.incrementAndGet();
                    return true;
                },
                Runnable::run,
                new SystemRuntime())) {
            for (int i = 0; i < many; i++) {
                full.<Object>with(file("wanted" + i), false, each -> null);
            }
            Inode further = file("further");
            asked.set(0);
            full.<Object>with(further, false, each -> null);
            assertThat(asked.get()).isBetween(1, 100);
            assertThat(channels.stream().filter(FailingChannel::isOpen)).hasSize(many);
        }
    }

    @Test
    void shouldChangeTheVerifierWhereWhatWasWrittenIsLostWhenAFileIsClosed() throws Exception {
        Inode file = file("file");
        written(file).failsToForce = true;
        pressHard();
        assertThat(verifier.value()).isNotEqualTo(7);
        // the disk is well again: what was lost is not taken for written
        assertThat(files.<Long>with(file, true, each -> verifier.force(each, true)))
                .isNotEqualTo(7L);
    }

    @Test
    void shouldChangeTheVerifierWhereAFileCannotBeClosed() throws Exception {
        written(file("file")).failsToClose = true;
        pressHard();
        assertThat(verifier.value()).isNotEqualTo(7);
    }

    @Test
    void shouldNotForceWhatWasForcedOrOnlyRead() throws Exception {
        Inode file = file("file");
        FailingChannel channel = written(file);
        files.with(file, true, each -> verifier.force(each, true));
        pressHard();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.forced).hasValue(1);
    }

    @Test
    void shouldNeverTakeAFailedForceForASuccessLater() throws Exception {
        Inode file = file("file");
        written(file).failsToForce = true;
        assertThatThrownBy(() -> files.<Long>with(file, true, each -> verifier.force(each, true)))
                .isInstanceOf(IOException.class);
        assertThat(files.<Long>with(file, true, each -> verifier.force(each, true)))
                .isNotEqualTo(7L);
    }

    @Test
    void shouldKeepWhatClientsHaveOpenLongerThanAllElse() throws Exception {
        Inode file = file("file");
        open.add(file);
        FailingChannel channel = written(file);
        pressHard();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void shouldReachARemovedFileUntilItIsClosed() throws Exception {
        Inode file = file("file");
        open.add(file);
        files.hold(file, true);
        Files.delete(directory.resolve("file"));
        assertThat(files.removed(file)).isTrue();
        pressHard();
        assertThat(tree.attributes(file).linkCount()).isZero();
        assertThat(files.closed(file)).isFalse();
        open.remove(file);
        assertThat(files.closed(file)).isTrue();
        assertThat(files.known(file.number())).isNull();
    }

    @Test
    void shouldOpenWhatIsAboutToLoseItsNameWhereAClientHasItOpen() throws Exception {
        Inode file = file("file");
        files.retain(file);
        assertThat(files.count()).isZero();
        open.add(file);
        files.retain(file);
        assertThat(files.count()).isEqualTo(1);
    }

    @Test
    void shouldTellThatAFileIsGoneWhenItIsToBeHeld() throws Exception {
        Inode file = file("file");
        Files.delete(directory.resolve("file"));
        assertThatThrownBy(() -> files.hold(file, true)).isInstanceOf(NfsError.class);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldTellTheAttributesOfAnOpenFileThatHasNoNameAnyMore() throws Exception {
        Inode file = file("file");
        open.add(file);
        files.with(file, true, each -> {
            each.write(ByteBuffer.allocate(3), 10);
            return null;
        });
        assertThat(files.held(file)).isNull();
        Files.delete(directory.resolve("file"));
        UnixAttributes attributes = tree.attributes(file);
        assertThat(attributes.size()).isEqualTo(13);
        assertThat(attributes.linkCount()).isZero();
        assertThat(files.known(file.number())).isEqualTo(file);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldKeepARemovedFileThatWasOpenForReadingWhenItIsWrittenTo() throws Exception {
        Inode file = file("file");
        open.add(file);
        files.hold(file, false);
        Files.delete(directory.resolve("file"));
        assertThat(files.removed(file)).isTrue();
        written(file);
        pressHard();
        assertThat(tree.attributes(file).linkCount()).isZero();
        open.remove(file);
        assertThat(files.closed(file)).isTrue();
        assertThat(channels).filteredOn(FailingChannel::isOpen).hasSizeLessThanOrEqualTo(LIMIT);
    }

    @Test
    void shouldCloseWhatIsInUseWhenItsUserIsDone() throws Exception {
        long size = files.with(file("file"), false, each -> {
            files.close();
            return each.size();
        });
        assertThat(size).isEqualTo(7);
        assertThat(channels).noneMatch(FailingChannel::isOpen);
    }

    @Test
    void shouldForceWhatWasWrittenWhileItWasForcedBeforeItClosesAFile() throws Exception {
        Inode file = file("file");
        written(file);
        beforeWrite = () -> {
            beforeWrite = () -> {};
            FailingChannel channel = channels.get(0);
            try {
                files.with(file, true, each -> verifier.force(each, true)); // another's COMMIT, of what was before
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            channel.failsToForce = true; // what follows cannot be brought to the disk
        };
        FailingChannel channel = written(file);
        pressHard();
        assertThat(channel.isOpen()).isFalse();
        assertThat(channel.forced).hasValue(2);
        assertThat(verifier.value()).isNotEqualTo(7);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void shouldReachAFileThatIsRemovedWhileItIsOpened() throws Exception {
        TreeChanges changes =
                new TreeChanges(tree, new AttributeChanger(true, true), false, files::removed, new SystemRuntime());
        Inode file = file("file");
        byte[] handle = tree.handle(file);
        open.add(file);
        afterOpen = () -> {
            afterOpen = () -> {};
            try {
                // who removes it has found it open at nobody's
                changes.remove(tree.root(), "file", Caller.ROOT, (lost, change) -> change.make());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        files.hold(file, true);
        assertThat(tree.resolve(handle)).isEqualTo(file);
        assertThat(tree.attributes(file).linkCount()).isZero();
        open.remove(file);
        assertThat(files.closed(file)).isTrue();
        assertThat(channels).noneMatch(FailingChannel::isOpen);
    }

    /** Whatever thread was interrupted: the channel is everybody's. */
    @Test
    void shouldOpenAnewAFileWhoseChannelAnInterruptHasClosed() throws Exception {
        Inode file = file("file");
        open.add(file);
        try (OpenFiles others =
                new OpenFiles(tree, LIMIT, verifier, open::contains, Runnable::run, new SystemRuntime())) {
            OpenFiles.Action<Object> write = each -> {
                each.write(ByteBuffer.wrap(new byte[3]), 7);
                return null;
            };
            others.with(file, true, write);
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> others.with(file, true, write)).isInstanceOf(ClosedByInterruptException.class);
            assertThat(Thread.interrupted()).isTrue();
            others.with(file, true, write);
            assertThat(directory.resolve("file")).hasSize(10);
            assertThat(others.count()).isEqualTo(1);
            // what was written before was forced by nobody, and its loss would be told to nobody
            assertThat(verifier.value()).isNotEqualTo(7);
        }
    }
}
