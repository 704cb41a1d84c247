package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Spark with the shaded jar on its class path; with the profile {@code clusters}. */
@ExtendWith(SharedExport.class)
@EnabledIfSystemProperty(named = "verbena.spark.jars", matches = ".+")
final class SparkIT {
    /** The size of what is sorted. */
    private static final int MEGABYTES = Integer.getInteger("verbena.spark.megabytes", 64);

    private static final int MINUTES = 8;

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

    private static ChildProcess spark(String program, Path folder, Map<String, String> environment, String... more)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(ChildProcess.java(), "-Xmx1g"));
        OPENED.forEach(each -> command.add("--add-opens=" + each + "=ALL-UNNAMED"));
        command.addAll(List.of(
                "-cp",
                System.getProperty("verbena.spark.jars") + "/*:" + System.getProperty("verbena.hadoop.jar"),
                Path.of("src/test/spark", program).toAbsolutePath().toString(),
                SharedExport.own().uri().resolve("/spark").toString(),
                folder.toString()));
        command.addAll(List.of(more));
        Map<String, String> all = new HashMap<>(environment);
        all.put("XDG_STATE_HOME", folder.toString());
        all.put("SPARK_LOCAL_IP", "127.0.0.1");
        return ChildProcess.run(folder, all, command, MINUTES + MEGABYTES / 50);
    }

    @Test
    void shouldWriteAndReadParquetAndCsv(@TempDir Path folder) throws Exception {
        ChildProcess spark = spark("Tables.java", folder, Map.of());

        assertThat(spark.status()).as(spark.output()).isZero();
        assertThat(spark.output()).contains("EQUAL parquet 100000").contains("EQUAL csv 100000");
        assertThat(SharedExport.own().directory().resolve("spark/parquet/_SUCCESS"))
                .exists();
    }

    /** Executors are JVMs of their own, which need the class path of an installation. */
    @Test
    void shouldSortOnAClusterAndSurviveAKilledExecutor(@TempDir Path folder) throws Exception {
        Files.createSymbolicLink(
                Files.createDirectory(folder.resolve("home")).resolve("jars"),
                Path.of(System.getProperty("verbena.spark.jars")));
        Map<String, String> installation =
                Map.of("SPARK_HOME", folder.resolve("home").toString(), "SPARK_SCALA_VERSION", "2.13");

        ChildProcess spark =
                spark("Cluster.java", folder, installation, "" + MEGABYTES, System.getProperty("verbena.hadoop.jar"));

        assertThat(spark.status()).as(spark.output()).isZero();
        assertThat(spark.output()).contains("SORTED ").contains("KILLED ").contains("WHOLE ");
        spark.output().lines().filter(line -> line.startsWith("SORTED")).forEach(System.out::println);
    }
}
