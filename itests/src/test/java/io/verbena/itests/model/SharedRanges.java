package io.verbena.itests.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The file in which each {@link Worker} has a range, and the logs to which the workers of a mount append. */
public final class SharedRanges {
    private static final String FILE = "ranges";

    private SharedRanges() {}

    /** Reads a file of the run without the mounts. */
    @FunctionalInterface
    public interface Stored {
        byte[] content(String name) throws IOException;
    }

    /** Makes the file, with a range for each worker. */
    public static void make(Side side, int workers) throws IOException {
        Set<StandardOpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (RemoteFile file = side.mount().open(side.remote(FILE), options, 0644)) {
            file.truncate((long) workers * Worker.RANGE);
        }
    }

    /** Checks that each range is as its worker has left it, and that each record is once in the log of its mount. */
    public static void check(List<Worker> workers, Stored stored) throws IOException {
        byte[] content = stored.content(FILE);
        assertThat(content).hasSize(workers.size() * Worker.RANGE);
        for (Worker worker : workers) {
            int from = worker.number() * Worker.RANGE;
            byte[] range = Arrays.copyOfRange(content, from, from + Worker.RANGE);
            assertThat(Arrays.mismatch(range, worker.expected()))
                    .as("the first octet that differs in the range of worker %d", worker.number())
                    .isEqualTo(-1);
        }
        Map<Side, List<Worker>> byMount = workers.stream().collect(Collectors.groupingBy(Worker::side));
        for (Map.Entry<Side, List<Worker>> mount : byMount.entrySet()) {
            checkLog(stored.content("log" + mount.getKey()), mount.getValue(), workers.size());
        }
    }

    private static void checkLog(byte[] log, List<Worker> ofMount, int workers) {
        ByteBuffer records = ByteBuffer.wrap(log);
        int[] next = new int[workers];
        while (records.remaining() >= Integer.BYTES) {
            int worker = records.getShort();
            assertThat(worker).as("a record's worker").isBetween(0, workers - 1);
            assertThat(records.getShort())
                    .as("the next record of worker %d", worker)
                    .isEqualTo((short) next[worker]++);
        }
        assertThat(records.hasRemaining()).as("a part of a record").isFalse();
        for (Worker worker : ofMount) {
            assertThat(next[worker.number()])
                    .as("records of worker %d", worker.number())
                    .isEqualTo(worker.records());
        }
    }
}
