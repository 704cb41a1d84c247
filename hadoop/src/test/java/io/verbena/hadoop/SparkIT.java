package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Spark with the shaded jar on its class path; with the profile {@code spark}. */
@ExtendWith(SharedExport.class)
@EnabledIfSystemProperty(named = "verbena.spark.jars", matches = ".+")
final class SparkIT {
    /** What bin/spark-submit opens of the JDK for Spark. */
    private static final List<String> OPENED = List.of(
            "java.base/java.lang",
            "java.base/java.lang.invoke",
            "java.base/java.lang.reflect",
            "java.base/java.io",
            "java.base/java.net",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/sun.nio.ch",
            "java.base/sun.nio.cs",
            "java.base/sun.security.action",
            "java.base/sun.util.calendar");

    @Test
    void shouldWriteAndReadParquetAndCsv(@TempDir Path folder) throws Exception {
        List<String> command = new ArrayList<>(List.of(ChildProcess.java(), "-Xmx1g"));
        OPENED.forEach(each -> command.add("--add-opens=" + each + "=ALL-UNNAMED"));
        command.addAll(List.of(
                "-cp",
                System.getProperty("verbena.spark.jars") + "/*:" + System.getProperty("verbena.hadoop.jar"),
                Path.of("src/test/spark/Tables.java").toAbsolutePath().toString(),
                SharedExport.own().uri().resolve("/spark").toString(),
                folder.toString()));

        ChildProcess spark = ChildProcess.run(folder, Map.of("XDG_STATE_HOME", folder.toString()), command);

        assertThat(spark.status()).as(spark.output()).isZero();
        assertThat(spark.output()).contains("EQUAL parquet 100000").contains("EQUAL csv 100000");
        assertThat(SharedExport.own().directory().resolve("spark/parquet/_SUCCESS"))
                .exists();
    }
}
