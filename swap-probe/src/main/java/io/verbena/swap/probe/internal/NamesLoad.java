package io.verbena.swap.probe.internal;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Small exclusive creates, appended lines, renames and removes. Each fails when it is done a second time, for what is
 * created exists then and what is renamed or removed is not there, and one that is not done fails the next; so if all
 * succeed, and at the end there is what should be there, each was done exactly once.
 */
final class NamesLoad extends Load {
    private final MountsSeen mounts;
    private final String directory;
    private final Set<String> expected = new TreeSet<>();
    private Mount mount;
    private int number;
    private int undecided;
    private int repeated;

    NamesLoad(MountsSeen mounts, String mountName, String directory) throws IOException, InterruptedException {
        super("names");
        this.mounts = mounts;
        mount = mounts.await(mountName, null);
        this.directory = directory;
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
                fresh,
                true);
        once(on -> on.rename(fresh, renamed), fresh, false);
        if (number % 2 == 0) {
            once(on -> on.remove(renamed), renamed, false);
        } else {
            expected.add("r" + name);
        }
        String folder = directory + "/d" + name;
        once(on -> on.createDirectory(folder, 0755), folder, true);
        once(on -> on.remove(folder), folder, false);
    }

    /**
     * Does it, on the next mount where this one is replaced.
     *
     * @param path of what is there, or is not there, when it is done
     */
    private void once(Operation operation, String path, boolean there) throws IOException, InterruptedException {
        while (true) {
            try {
                operation.run(mount);
                return;
            } catch (MountReplacedException e) {
                mount = mounts.await(mount.name(), mount);
                repeated++;
                // the first part of a create may be done while the write that follows is not
                if (e.isUndecided()) {
                    undecided++;
                }
                if (exists(path) == there) {
                    return;
                }
            }
        }
    }

    private boolean exists(String path) throws IOException, InterruptedException {
        while (true) {
            try {
                mount.attributes(path, false);
                return true;
            } catch (NoSuchFileException e) {
                return false;
            } catch (MountReplacedException e) {
                mount = mounts.await(mount.name(), mount);
            }
        }
    }

    /** After the end: compares what is there, and tells what was done. */
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
        return number + " files created, renamed and half of them removed, " + number
                + " directories made and removed; " + repeated + " operations met a replaced mount, " + undecided
                + " of them without an answer";
    }
}
