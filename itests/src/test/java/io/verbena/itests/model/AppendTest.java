package io.verbena.itests.model;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.RemoteFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several threads append to one file of one mount, each through a channel of its own. Each record is in the file once
 * and complete.
 */
@Timeout(180)
class AppendTest {
    private static final int THREADS = 4;
    private static final int RECORDS = 200;
    private static final Set<OpenOption> OPTIONS = Set.of(APPEND, CREATE);

    @TempDir
    private Path folder;

    private EmbeddedMountPair pair;
    private Side side;

    @BeforeEach
    void mount() throws IOException {
        pair = new EmbeddedMountPair(folder, 1, "");
        side = pair.side(0);
    }

    @AfterEach
    void unmount() throws IOException {
        pair.close();
    }

    /** Opens a channel for one thread. */
    @FunctionalInterface
    private interface Opener {
        Appender open(int thread) throws IOException;
    }

    /** A channel, and the object that closes it. */
    private record Appender(SeekableByteChannel channel, Closeable end) implements Closeable {
        @Override
        public void close() throws IOException {
            end.close();
        }
    }

    private Appender remote() throws IOException {
        RemoteFile file = side.mount().open(side.remote("log"), OPTIONS, 0644);
        SeekableByteChannel channel = file.channel();
        return new Appender(channel, () -> {
            try (file) {
                channel.close();
            }
        });
    }

    private Appender nio() throws IOException {
        FileChannel channel = FileChannel.open(side.path("log"), OPTIONS);
        return new Appender(channel, channel);
    }

    private void append(Opener opener) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int thread = i;
                all.add(threads.submit(() -> {
                    try (Appender appender = opener.open(thread)) {
                        for (int record = 0; record < RECORDS; record++) {
                            appender.channel().write(ByteBuffer.allocate(4).putInt(0, thread * RECORDS + record));
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get(120, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private void check() throws IOException {
        ByteBuffer log = ByteBuffer.wrap(pair.content("log").orElseThrow());
        List<Integer> found = new ArrayList<>();
        while (log.remaining() >= Integer.BYTES) {
            found.add(log.getInt());
        }
        int missing = 0;
        for (int record = 0; record < THREADS * RECORDS; record++) {
            missing += found.contains(record) ? 0 : 1;
        }
        assertThat(missing).as("records missing of %d", THREADS * RECORDS).isZero();
        assertThat(found).as("records").hasSize(THREADS * RECORDS);
        assertThat(log.hasRemaining()).as("a part of a record").isFalse();
        for (int thread = 0; thread < THREADS; thread++) {
            int of = thread;
            assertThat(found.stream().filter(record -> record / RECORDS == of).toList())
                    .as("the order of thread %d", thread)
                    .isSorted();
        }
    }

    @Test
    void shouldKeepAllRecordsOfFourRemoteFiles() throws Exception {
        append(thread -> remote());
        check();
    }

    @Test
    void shouldKeepAllRecordsOfFourChannelsOfOneRemoteFile() throws Exception {
        try (RemoteFile file = side.mount().open(side.remote("log"), OPTIONS, 0644)) {
            append(thread -> {
                SeekableByteChannel channel = file.channel();
                return new Appender(channel, channel);
            });
        }
        check();
    }

    @Test
    void shouldKeepAllRecordsOfFourChannelsOfJavaNio() throws Exception {
        append(thread -> nio());
        check();
    }

    @Test
    void shouldKeepAllRecordsOfRemoteFilesAndJavaNio() throws Exception {
        append(thread -> thread % 2 == 0 ? remote() : nio());
        check();
    }

    @Test
    void shouldKeepAllRecordsOfOneChannelOfAll() throws Exception {
        try (Appender shared = remote()) {
            append(thread -> new Appender(shared.channel(), () -> {}));
        }
        check();
    }
}
