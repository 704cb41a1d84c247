package io.verbena.simulation.workload;

import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.simulation.world.ClientHost;
import io.verbena.simulation.world.Judge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Files that one worker at a time writes, and that all read: whoever opens one reads what was there when it was closed
 * last.
 */
final class Notices {
    private static final int NOTICES = 3;
    private static final int MOST_OCTETS = 6000;
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> ANEW =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);

    private final Notice[] notices = new Notice[NOTICES];
    private int names;

    /** A file. */
    private static final class Notice {
        private final String path;
        /** Null while nobody writes it. */
        private ClientHost writer;
        /** What was closed last; null before. */
        private byte[] content;

        Notice(int number) {
            path = "/notice-" + number;
        }
    }

    Notices() {
        Arrays.setAll(notices, index -> new Notice(names++));
    }

    /**
     * Writes or reads one.
     *
     * @param makeCertain brings the directory to stable storage
     */
    void visit(ClientHost client, Judge judge, SplittableRandom random, Attempts attempts, Attempts.Step makeCertain) {
        int index = random.nextInt(NOTICES);
        Notice notice = notices[index];
        if (notice.writer != null && notice.writer.process().isDead()) {
            // a request of the dead one may still be on its way
            notice = new Notice(names++);
            notices[index] = notice;
        }
        if (notice.writer == null && random.nextInt(3) == 0) {
            write(notice, client, random, attempts, makeCertain);
        } else {
            read(notice, client, judge, random, attempts);
        }
    }

    private void write(
            Notice notice, ClientHost client, SplittableRandom random, Attempts attempts, Attempts.Step makeCertain) {
        byte[] content = new byte[random.nextInt(MOST_OCTETS)];
        random.nextBytes(content);
        Path path = client.fileSystem().getPath(notice.path);
        Path other = client.fileSystem().getPath(notice.path + ".new-" + names++);
        Attempts.Step anew = () -> {
            try (RemoteFile file = client.mount().open(notice.path, ANEW, 0666)) {
                file.write(ByteBuffer.wrap(content), 0);
            }
        };
        Attempts.Step step =
                switch (random.nextInt(4)) {
                    case 0 -> anew;
                    case 1 ->
                        () -> {
                            try (RemoteFile file = client.mount().open(notice.path, WRITE, 0666)) {
                                file.truncate(content.length);
                                file.write(ByteBuffer.wrap(content), 0);
                            }
                        };
                    case 2 -> attempts.nio(() -> Files.write(path, content));
                    default ->
                        attempts.nio(() -> {
                            Files.write(other, content);
                            Files.move(
                                    other, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
                        });
                };
        notice.writer = client;
        boolean done = attempts.run("write " + notice.path, step, () -> {
            anew.run();
            makeCertain.run();
        });
        if (done) {
            notice.content = content;
            notice.writer = null;
        }
    }

    private static void read(
            Notice notice, ClientHost client, Judge judge, SplittableRandom random, Attempts attempts) {
        byte[] content = notice.content;
        if (notice.writer != null || content == null) {
            return;
        }
        int door = random.nextInt(3);
        Attempts.Step step = () -> {
            byte[] before = notice.content;
            boolean isQuiet = notice.writer == null;
            if (!isQuiet) {
                return;
            }
            int begun = judge.run();
            long start = judge.now();
            byte[] found;
            try {
                found = found(notice, client, door);
            } catch (IOException e) {
                boolean isChanged = notice.writer != null || notice.content != before;
                boolean isGivenUp = judge.hasRestartedSince(begun) || judge.mayBeForgotten(client, start);
                if (!isChanged || !isGivenUp || !isGone(e)) {
                    throw e;
                }
                judge.tell(notice.path + " was replaced, and the server no longer has the old one");
                return;
            }
            boolean isSame = door == 2 ? found.length == before.length : Arrays.equals(found, before);
            if (notice.writer == null && notice.content == before && !isSame) {
                judge.fail(notice.path + " has " + found.length + " octets for "
                        + client.process().name()
                        + " in place of " + before.length + ", and differs from " + Arrays.mismatch(found, before)
                        + " on, by door " + door);
            }
        };
        boolean unused = attempts.run("read " + notice.path, step, step);
    }

    private static byte[] found(Notice notice, ClientHost client, int door) throws IOException {
        return switch (door) {
            case 0 -> Worker.readWhole(client.mount(), notice.path, MOST_OCTETS);
            case 1 -> Files.readAllBytes(client.fileSystem().getPath(notice.path));
            default ->
                new byte[(int) client.mount().attributes(notice.path, true).size()];
        };
    }

    /** Whether the open file is not there: a server keeps one without a name as long as it knows who has it open. */
    private static boolean isGone(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof NfsException known && known.status().equals("NFS4ERR_STALE")) {
                return true;
            }
        }
        return false;
    }

    /** What a client finds in the end that has not seen them yet. */
    void judge(ClientHost fresh, Judge judge) throws IOException {
        for (Notice each : notices) {
            if (each.writer == null && each.content != null) {
                byte[] found = Worker.readWhole(fresh.mount(), each.path, MOST_OCTETS);
                if (!Arrays.equals(found, each.content)) {
                    judge.fail("in the end " + each.path + " has " + found.length + " octets in place of "
                            + each.content.length + ", and differs from " + Arrays.mismatch(found, each.content)
                            + " on");
                }
            }
        }
    }
}
