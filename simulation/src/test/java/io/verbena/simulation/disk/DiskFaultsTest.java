package io.verbena.simulation.disk;

import static io.verbena.simulation.disk.DiskFixture.WORST;
import static io.verbena.simulation.disk.DiskFixture.name;
import static io.verbena.simulation.disk.DiskFixture.read;
import static io.verbena.simulation.disk.DiskFixture.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.dirfd.Errno;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.FileReference;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DiskFaultsTest {
    private static final int PAGE = 4096;

    private final DiskFixture fixture = new DiskFixture();
    private final DiskFaults faults = fixture.faults;
    private FileReference file;
    private FileChannel channel;

    @BeforeEach
    void open() throws IOException {
        file = fixture.file("file", "old");
        channel = file.open(true);
        channel.force(true);
    }

    private static void assertEio(ThrowingCallable call) {
        assertThatThrownBy(call).isExactlyInstanceOf(IOException.class).hasMessage("Input/output error");
    }

    @Test
    void shouldWriteAsMuchAsThereIsRoomFor() throws Exception {
        faults.setCapacity(3 * PAGE); // the root's page, the file's, and another one
        assertThat(channel.write(ByteBuffer.allocate(3 * PAGE), 0)).isEqualTo(2 * PAGE);
        assertThatThrownBy(() -> channel.write(ByteBuffer.allocate(1), 2 * PAGE))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("No space left on device");
        assertThat(channel.size()).isEqualTo(2 * PAGE);
        assertThat(fixture.disk.fileStore().getUsableSpace()).isZero();
        assertThat(faults.count(DiskFault.NO_SPACE)).isEqualTo(2);
        channel.write(ByteBuffer.allocate(PAGE), 0); // has its page already
        channel.truncate(0);
        channel.write(ByteBuffer.allocate(PAGE), 5 * PAGE);
        assertThat(file.status().allocated()).isEqualTo(PAGE);
    }

    @Test
    void shouldFailReadsAndWritesOnce() throws Exception {
        faults.failNext(DiskFault.READ_ERROR, 1);
        faults.failNext(DiskFault.WRITE_ERROR, 1);
        assertEio(() -> channel.read(ByteBuffer.allocate(3), 0));
        assertEio(() -> channel.write(ByteBuffer.allocate(3), 0));
        assertThat(read(file)).isEqualTo("old");
        assertThat(faults.count(DiskFault.READ_ERROR)).isEqualTo(1);
        assertThat(faults.count(DiskFault.WRITE_ERROR)).isEqualTo(1);
    }

    @Test
    void shouldFailAtARate() throws Exception {
        faults.setRate(DiskFault.READ_ERROR, 0.5);
        int failures = 0;
        for (int each = 0; each < 200; each++) {
            try {
                channel.read(ByteBuffer.allocate(3), 0);
            } catch (IOException e) {
                failures++;
            }
        }
        assertThat(failures).isBetween(60, 140).isEqualTo((int) faults.count(DiskFault.READ_ERROR));
        assertThatThrownBy(() -> faults.setRate(DiskFault.READ_ERROR, 1.5))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldReportAFailedForceOnceAndLoseWhatItWrote() throws Exception {
        faults.setLoss(1);
        write(file, 0, "new");
        faults.failNext(DiskFault.FORCE_ERROR, 1);
        assertEio(() -> channel.force(true));
        channel.force(true);
        assertThat(read(file)).isEqualTo("new"); // from the memory of the kernel
        assertThat(faults.count(DiskFault.LOST_PAGE)).isEqualTo(1);
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("old");
    }

    @Test
    void shouldShowTheOldContentOfAnEvictedPage() throws Exception {
        faults.setLoss(1);
        faults.setEviction(1);
        write(file, 0, "new");
        write(file, PAGE, "further");
        faults.failNext(DiskFault.FORCE_ERROR, 1);
        assertEio(() -> channel.force(true));
        assertThat(read(file)).isEqualTo("old" + "\0".repeat(PAGE + 4));
        assertThat(file.status().allocated()).isEqualTo(PAGE);
    }

    @Test
    void shouldWriteAgainWhatAFailedForceHasNotLost() throws Exception {
        faults.setLoss(0);
        write(file, 0, "new");
        faults.failNext(DiskFault.FORCE_ERROR, 1);
        assertEio(() -> channel.force(true));
        channel.force(true);
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("new");
    }

    @Test
    void shouldReportAFailedForceToEachOpenChannel() throws Exception {
        FileChannel other = file.open(true);
        faults.failNext(DiskFault.FORCE_ERROR, 1);
        assertEio(() -> channel.force(true));
        FileChannel later = file.open(true);
        later.force(true);
        assertEio(() -> other.force(true));
        other.force(true);
        channel.force(true);
    }

    @Test
    void shouldReportAFailedForceOfTheBackgroundToWhoOpensTheFileLater() throws Exception {
        faults.setLoss(1);
        write(file, 0, "new");
        faults.failNext(DiskFault.FORCE_ERROR, 1);
        fixture.disk.writeBack(WORST);
        FileChannel later = file.open(true);
        assertEio(() -> later.force(true));
        assertEio(() -> channel.force(true));
        file.open(true).force(true);
    }

    @Test
    void shouldReportAFailedForceOfAFileToASyncOfTheFileSystem() throws Exception {
        faults.failNext(DiskFault.FORCE_ERROR, 1);
        assertEio(() -> channel.force(true));
        assertErrno(() -> fixture.root.syncFileSystem());
        assertThat(fixture.root.syncFileSystem()).isTrue();
    }

    @Test
    void shouldFailASyncOfTheFileSystem() throws Exception {
        faults.setLoss(1);
        write(file, 0, "new");
        faults.failNext(DiskFault.SYNC_ERROR, 1);
        assertErrno(() -> fixture.root.syncFileSystem());
        assertThat(fixture.root.syncFileSystem()).isTrue();
        assertEio(() -> channel.force(true));
        fixture.crash(WORST);
        assertThat(fixture.content("file")).isEqualTo("old");
    }

    @Test
    void shouldLoseNothingOfADirectoryThatWasNotSynced() throws Exception {
        fixture.file("second", "").close();
        faults.failNext(DiskFault.SYNC_ERROR, 1);
        assertErrno(() -> fixture.root.sync());
        fixture.root.sync();
        fixture.crash(WORST);
        assertThat(fixture.paths()).containsExactly("file", "second");
        assertThat(faults.count(DiskFault.SYNC_ERROR)).isEqualTo(1);
        assertThat(faults.count(DiskFault.POWER_LOSS)).isEqualTo(1);
    }

    private static void assertErrno(ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOfSatisfying(ErrnoException.class, e -> assertThat(e.errno())
                .isEqualTo(Errno.EIO));
    }

    @Test
    void shouldChargeEachOperation() throws Exception {
        StringBuilder charged = new StringBuilder();
        fixture.hook = (operation, octets) ->
                charged.append(operation).append(' ').append(octets).append('\n');
        channel.write(ByteBuffer.allocate(PAGE + 1), 0);
        channel.read(ByteBuffer.allocate(10), 0);
        channel.force(true);
        fixture.root.sync();
        fixture.root.rename(name("file"), fixture.root, name("other"));
        assertThat(charged).hasToString("WRITE 4097\nREAD 10\nFORCE 8192\nSYNC 0\nRENAME 0\n");
        assertThat(DiskOperation.RENAME.maySuspend()).isFalse();
        assertThat(DiskOperation.FORCE.maySuspend()).isTrue();
    }
}
