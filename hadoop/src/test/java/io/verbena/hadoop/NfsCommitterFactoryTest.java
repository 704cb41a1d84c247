package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.TaskAttemptID;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.output.committer.manifest.ManifestCommitter;
import org.apache.hadoop.mapreduce.task.TaskAttemptContextImpl;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(SharedExport.class)
final class NfsCommitterFactoryTest {
    /** Knows a class of Spark, as the class loader of a Spark program does. */
    private static final class WithSpark extends ClassLoader {
        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.equals("org.apache.spark.internal.io.HadoopMapReduceCommitProtocol")) {
                return Object.class;
            }
            throw new ClassNotFoundException(name);
        }
    }

    private static PathOutputCommitter committer(Configuration configuration) throws IOException {
        URI out = SharedExport.own().uri().resolve("/out");
        TaskAttemptContext task =
                new TaskAttemptContextImpl(configuration, TaskAttemptID.forName("attempt_1_0001_r_000000_0"));
        return PathOutputCommitterFactory.createCommitter(new Path(out), task);
    }

    @Test
    void shouldCommitByManifests() throws IOException {
        assertThat(committer(SharedExport.own().configurationOfProcess())).isInstanceOf(ManifestCommitter.class);
    }

    @Test
    void shouldTakeTheOneCommitterForWhichSparksTasksHaveFoldersOfTheirOwn() throws IOException {
        Configuration configuration = SharedExport.own().configurationOfProcess();
        configuration.setClassLoader(new WithSpark());
        assertThat(committer(configuration)).isInstanceOf(FileOutputCommitter.class);
    }

    @Test
    void shouldCommitByManifestsWhereSparkTakesAnyCommitter() throws IOException {
        Configuration configuration = SharedExport.own().configurationOfProcess();
        configuration.setClassLoader(new WithSpark());
        configuration.set(
                "spark.sql.sources.commitProtocolClass", "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol");
        assertThat(committer(configuration)).isInstanceOf(ManifestCommitter.class);
    }
}
