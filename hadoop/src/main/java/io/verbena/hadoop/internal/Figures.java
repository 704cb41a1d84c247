package io.verbena.hadoop.internal;

import java.io.IOException;
import org.apache.hadoop.fs.statistics.IOStatisticsAggregator;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsStore;
import org.apache.hadoop.util.functional.CallableRaisingIOE;
import org.apache.hadoop.util.functional.InvocationRaisingIOE;

/** The operations of a file system with their durations, and the octets of its closed streams. Thread safe. */
public final class Figures implements IOStatisticsSource {
    private static final String[] OPERATIONS = {
        StoreStatisticNames.OP_ACCESS,
        StoreStatisticNames.OP_APPEND,
        StoreStatisticNames.OP_CREATE,
        StoreStatisticNames.OP_DELETE,
        StoreStatisticNames.OP_GET_FILE_CHECKSUM,
        StoreStatisticNames.OP_GET_FILE_STATUS,
        StoreStatisticNames.OP_GET_STATUS,
        StoreStatisticNames.OP_LIST_STATUS,
        StoreStatisticNames.OP_MKDIRS,
        StoreStatisticNames.OP_OPEN,
        StoreStatisticNames.OP_RENAME,
        StoreStatisticNames.OP_SET_OWNER,
        StoreStatisticNames.OP_SET_PERMISSION,
        StoreStatisticNames.OP_SET_TIMES,
        StoreStatisticNames.OP_TRUNCATE,
    };

    private static final String[] OF_STREAMS = {
        StoreStatisticNames.OP_HFLUSH,
        StoreStatisticNames.OP_HSYNC,
        StreamStatisticNames.STREAM_READ_BYTES,
        StreamStatisticNames.STREAM_READ_EXCEPTIONS,
        StreamStatisticNames.STREAM_READ_OPERATIONS,
        StreamStatisticNames.STREAM_READ_SEEK_OPERATIONS,
        StreamStatisticNames.STREAM_READ_SEEK_POLICY_CHANGED,
        StreamStatisticNames.STREAM_READ_VECTORED_INCOMING_RANGES,
        StreamStatisticNames.STREAM_READ_VECTORED_OPERATIONS,
        StreamStatisticNames.STREAM_WRITE_BYTES,
        StreamStatisticNames.STREAM_WRITE_EXCEPTIONS,
    };

    private final IOStatisticsStore store = IOStatisticsBinding.iostatisticsStore()
            .withDurationTracking(OPERATIONS)
            .withCounters(OF_STREAMS)
            .build();

    /** Creates figures that are all zero. */
    public Figures() {}

    /** Calls, and counts the operation and its duration. */
    public <T> T timed(String operation, CallableRaisingIOE<T> call) throws IOException {
        return IOStatisticsBinding.trackDuration(store, operation, call);
    }

    /** As {@link #timed}, without a result. */
    public void timedRun(String operation, InvocationRaisingIOE call) throws IOException {
        IOStatisticsBinding.trackDurationOfInvocation(store, operation, call);
    }

    /** Takes the figures of a stream. */
    IOStatisticsAggregator aggregator() {
        return store;
    }

    @Override
    public IOStatisticsStore getIOStatistics() {
        return store;
    }
}
