package io.verbena.hadoop.internal.stream;

import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.IOStatisticsContext;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;

/**
 * The figures of one stream, which count for its file system and for the thread that opened it once the stream is
 * closed. Any thread may count.
 */
final class StreamFigures implements IOStatisticsSource {
    private final IOStatisticsStore store;
    private final FileSystem.Statistics statistics;
    private final IOStatisticsAggregator ofFileSystem;
    private final IOStatisticsAggregator ofThread =
            IOStatisticsContext.getCurrentIOStatisticsContext().getAggregator();

    StreamFigures(FileSystem.Statistics statistics, IOStatisticsAggregator ofFileSystem, String... counters) {
        this.statistics = statistics;
        this.ofFileSystem = ofFileSystem;
        store = IOStatisticsBinding.iostatisticsStore().withCounters(counters).build();
    }

    void count(String counter) {
        long unused = store.incrementCounter(counter);
    }

    void count(String counter, long amount) {
        long unused = store.incrementCounter(counter, amount);
    }

    /** Octets are read for the calling thread: the statistics of the file system are kept by threads. */
    void readBytes(String counter, long octets) {
        count(counter, octets);
        readByThread(octets);
    }

    void readByThread(long octets) {
        if (statistics != null) {
            statistics.incrementBytesRead(octets);
        }
    }

    /** Counts for the file system and the thread. Called once. */
    void end() {
        ofFileSystem.aggregate(store);
        ofThread.aggregate(store);
    }

    @Override
    public IOStatisticsStore getIOStatistics() {
        return store;
    }
}
