package io.verbena.itests.model;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.RemoteFile;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Several threads of one mount write the same record at the same time, each through another door, while connections are
 * lost. In the end the file holds one complete record of one thread, although each record takes several WRITEs, and
 * every door reads the same. A channel of a RemoteFile writes behind, WRITE by WRITE, and keeps only records whole that
 * fit in one WRITE.
 */
@Timeout(600)
class OverlapTest {
    private static final int ROUNDS = 60;
    private static final int RECORD = 5000;
    private static final int AT = 1234;
    private static final long BOUND_SECONDS = 90;
    private static final Set<OpenOption> OPTIONS = Set.of(READ, WRITE, CREATE);

    private final long seed = Long.getLong("verbena.model.seed", System.nanoTime());

    @TempDir
    private Path folder;

    /** Writes all of a buffer at an offset. */
    @FunctionalInterface
    private interface Writer {
        void write(ByteBuffer source, long position) throws Exception;
    }

    /** Reads some of the record. */
    @FunctionalInterface
    private interface Reader {
        int read(ByteBuffer destination, long position) throws Exception;
    }

    @ParameterizedTest
    @CsvSource({
        "'', true, false",
        "'wsize=1024,rsize=4096', false, false",
        "'rpcrdma=2,wsize=2048,rsize=1024,slots=3', false, true",
        "'noac,wsize=1024', false, true"
    })
    void shouldKeepOneOfRecordsWhole(String options, boolean byChannel, boolean cuts) throws Exception {
        System.out.println("OverlapTest: -Dverbena.model.seed=" + seed);
        ExecutorService threads = Executors.newCachedThreadPool();
        try (EmbeddedMountPair pair = new EmbeddedMountPair(folder, seed, options)) {
            Side side = pair.side(0);
            String name = side.remote("records");
            try (RemoteFile one = side.mount().open(name, OPTIONS, 0644);
                    RemoteFile other = side.mount().open(name, OPTIONS, 0644);
                    SeekableByteChannel channel = other.channel();
                    FileChannel nio = FileChannel.open(side.path("records"), OPTIONS);
                    AsynchronousFileChannel async = AsynchronousFileChannel.open(side.path("records"), OPTIONS, null)) {
                List<Writer> writers = new ArrayList<>(
                        List.of(one::write, other::write, nio::write, (source, at) -> async.write(source, at)
                                .get(BOUND_SECONDS, TimeUnit.SECONDS)));
                if (byChannel) {
                    writers.add((source, at) -> channel.position(at).write(source));
                }
                List<Reader> readers = List.of(
                        one::read,
                        other::read,
                        (found, at) -> channel.position(at).read(found),
                        nio::read,
                        (found, at) -> async.read(found, at).get(BOUND_SECONDS, TimeUnit.SECONDS));
                Random random = new Random(seed);
                for (int round = 0; round < ROUNDS; round++) {
                    if (cuts && random.nextInt(8) == 0) {
                        boolean unused = pair.cut();
                    }
                    long at = AT + (long) random.nextInt(3) * RECORD;
                    writeAtOnce(threads, writers, round, at);
                    readAll(readers, round, at);
                }
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static void writeAtOnce(ExecutorService threads, List<Writer> writers, int round, long at)
            throws Exception {
        List<Callable<Void>> all = new ArrayList<>();
        for (int i = 0; i < writers.size(); i++) {
            Writer writer = writers.get(i);
            byte[] record = new byte[RECORD];
            Arrays.fill(record, octet(round, i));
            all.add(() -> {
                writer.write(ByteBuffer.wrap(record), at);
                return null;
            });
        }
        for (Future<Void> each : threads.invokeAll(all)) {
            each.get(BOUND_SECONDS, TimeUnit.SECONDS);
        }
    }

    /** The octet of a writer in a round; it differs between successive rounds. */
    private static byte octet(int round, int writer) {
        return (byte) (1 + writer + 8 * (round % 15));
    }

    private static void readAll(List<Reader> readers, int round, long at) throws Exception {
        List<Byte> written = new ArrayList<>();
        for (int i = 0; i < readers.size(); i++) {
            written.add(octet(round, i));
        }
        byte[] first = null;
        for (Reader reader : readers) {
            ByteBuffer found = ByteBuffer.allocate(RECORD);
            while (found.hasRemaining()) {
                assertThat(reader.read(found, at + found.position())).isPositive();
            }
            first = first == null ? found.array() : first;
            assertThat(found.array())
                    .as("what all doors read in round %d", round)
                    .isEqualTo(first);
        }
        assertThat(written).as("whose record it is").contains(first[0]);
        byte[] whole = new byte[RECORD];
        Arrays.fill(whole, first[0]);
        assertThat(first).as("the record of round %d", round).isEqualTo(whole);
    }
}
