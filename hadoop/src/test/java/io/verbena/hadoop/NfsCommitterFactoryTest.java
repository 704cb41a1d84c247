package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

/** ToolsTest has the committer of a job of MapReduce, SparkIT that of Spark. */
final class NfsCommitterFactoryTest {
    private final Configuration configuration = new Configuration(false);

    @Test
    void shouldTakeAnyCommitterWithoutSpark() {
        assertThat(NfsCommitterFactory.isAnyTaken(configuration, false)).isTrue();
    }

    @Test
    void shouldTakeTheOneCommitterForWhichSparksTasksHaveFoldersOfTheirOwn() {
        assertThat(NfsCommitterFactory.isAnyTaken(configuration, true)).isFalse();
    }

    @Test
    void shouldTakeAnyCommitterWhereTheProtocolOfSparkDoes() {
        configuration.set(
                "spark.sql.sources.commitProtocolClass", "org.apache.spark.internal.io.cloud.PathOutputCommitProtocol");
        assertThat(NfsCommitterFactory.isAnyTaken(configuration, true)).isTrue();
    }
}
