package io.verbena.hadoop;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitterFactory;

/**
 * The committers of jobs that write to {@code nfs+rdma}: Hadoop's {@code ManifestCommitter}, or {@code
 * FileOutputCommitter} where Spark takes no other one. Both need the atomic rename of NFS. The usual commit protocol of
 * Spark asks a {@code FileOutputCommitter} for the folder of a task, and has tasks of any other committer write right
 * to the folder of the job: a task that is lost would leave its part there. Thread safe.
 */
public final class NfsCommitterFactory extends PathOutputCommitterFactory {
    private static final String SPARK = "org.apache.spark.internal.io.HadoopMapReduceCommitProtocol";
    private static final String SPARK_PROTOCOL = "spark.sql.sources.commitProtocolClass";
    /** Of Spark's module hadoop-cloud; it takes any committer. */
    private static final String ANY_COMMITTER = "PathOutputCommitProtocol";

    @Override
    public PathOutputCommitter createOutputCommitter(Path output, TaskAttemptContext context) throws IOException {
        Configuration configuration = context.getConfiguration();
        boolean isSpark = configuration.getClassByNameOrNull(SPARK) != null;
        PathOutputCommitterFactory factory =
                isAnyTaken(configuration, isSpark) ? new ManifestCommitterFactory() : new FileOutputCommitterFactory();
        return factory.createOutputCommitter(output, context);
    }

    static boolean isAnyTaken(Configuration configuration, boolean isSpark) {
        return !isSpark || configuration.get(SPARK_PROTOCOL, "").endsWith(ANY_COMMITTER);
    }
}
