package io.verbena.swap.probe.internal;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Exclusive creates, appended records, renames and removes of small files. All except the appends fail when they are
 * executed twice, because the created name exists, or the renamed or removed name does not. An operation that is not
 * executed makes the next one fail. So if all operations succeed, and the final content is as expected, each was
 * executed exactly once.
 */
final class NamesLoad extends Load {
    private final CurrentMounts mounts;
    private final String directory;
    private final String records;
    private final Set<String> expected = new TreeSet<>();
    private Mount mount;
    private int number;
    private int undecided;
    private int repeated;

    NamesLoad(CurrentMounts mounts, String mountName, String directory) throws IOException, InterruptedException {
        super("names");
        this.mounts = mounts;
        mount = mounts.await(mountName, null);
        this.directory = directory;
        records = directory + ".records";
    }

    /** An operation on a mount. */
    @FunctionalInterface
    private interface Operation {
        void run(Mount on) throws IOException;
    }

    @Override
    void step() throws Exception {
        String name = "n" + number++;
        String fresh = directory + "/" + name;
        String renamed = directory + "/r" + name;
        once(
                on -> {
                    try (RemoteFile file =
                            on.open(fresh, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW), 0644)) {
                        file.write(ByteBuffer.wrap(new byte[] {1}), 0);
                    }
                },
                () -> exists(fresh),
                false);
        once(on -> on.rename(fresh, renamed), () -> !exists(fresh), true);
        if (number % 2 == 0) {
            once(on -> on.remove(renamed), () -> !exists(renamed), true);
        } else {
            expected.add("r" + name);
        }
        String folder = directory + "/d" + name;
        once(on -> on.createDirectory(folder, 0755), () -> exists(folder), true);
        once(on -> on.remove(folder), () -> !exists(folder), true);
        long record = number;
        once(on -> append(on, record), () -> size(records) == record * Long.BYTES, false);
    }

    private void append(Mount on, long record) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        try (RemoteFile file = on.open(records, options, 0644);
                SeekableByteChannel channel = file.channel()) {
            channel.write(ByteBuffer.allocate(Long.BYTES).putLong(0, record));
        }
    }

    /** Asks whether an operation was executed. */
    @FunctionalInterface
    private interface Question {
        boolean isTrue() throws IOException, InterruptedException;
    }

    /**
     * Executes an operation, on the next mount if this one is replaced.
     *
     * @param isSingle whether this is one operation of the protocol; then the client tells whether it may have been
     *     executed. Of several operations, the first may have been executed even if the client denies it for the next
     *     one
     */
    private void once(Operation operation, Question isDone, boolean isSingle) throws IOException, InterruptedException {
        while (true) {
            try {
                operation.run(mount);
                return;
            } catch (MountReplacedException e) {
                mount = mounts.await(mount.name(), mount);
                repeated++;
                if (isSingle && e.isUndecided()) {
                    undecided++;
                }
                if (isDone.isTrue()) {
                    if (isSingle && !e.isUndecided()) {
                        throw new IllegalStateException("said not to be done, but done", e);
                    }
                    return;
                }
            }
        }
    }

    private boolean exists(String path) throws IOException, InterruptedException {
        return size(path) >= 0;
    }

    /** The size of a file in octets, or -1 where it does not exist. */
    private long size(String path) throws IOException, InterruptedException {
        while (true) {
            try {
                return mount.attributes(path, false).size();
            } catch (NoSuchFileException e) {
                return -1;
            } catch (MountReplacedException e) {
                mount = mounts.await(mount.name(), mount);
            }
        }
    }

    private void checkRecords() throws IOException {
        try (RemoteFile file = mount.open(records, Set.of(StandardOpenOption.READ), 0)) {
            ByteBuffer found = ByteBuffer.allocate((number + 1) * Long.BYTES);
            file.read(found, 0);
            found.flip();
            for (long record = 1; record <= number; record++) {
                if (found.remaining() < Long.BYTES || found.getLong() != record) {
                    throw new IllegalStateException(
                            "of the records that were appended, " + record + " is not in its place");
                }
            }
            if (found.hasRemaining()) {
                throw new IllegalStateException("more records than " + number + " were appended");
            }
        }
    }

    /** Compares the final content after the end, and returns a summary. */
    String verdict() throws IOException, InterruptedException {
        mount = mounts.await(mount.name(), null);
        Set<String> found = new TreeSet<>();
        List<DirectoryEntry> entries = mount.list(directory);
        entries.forEach(entry -> found.add(entry.name()));
        if (!found.equals(expected)) {
            Set<String> more = new TreeSet<>(found);
            more.removeAll(expected);
            expected.removeAll(found);
            throw new IllegalStateException(
                    "in " + directory + " there is " + more + " too much, and missing is " + expected);
        }
        checkRecords();
        return number + " files created, renamed and half of them removed, " + number
                + " directories made and removed; " + repeated + " operations met a replaced mount, " + undecided
                + " of them without an answer";
    }
}
