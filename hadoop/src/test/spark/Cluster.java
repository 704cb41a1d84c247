import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.concat;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sha2;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.xxhash64;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SaveMode;
import org.apache.spark.sql.SparkSession;

/**
 * A driver and two executors, each a JVM of its own: sorts records onto the file system of the first argument, and onto
 * the local one, and kills an executor while it writes. What it says in the end begins with a word in capitals.
 *
 * <pre>Cluster BASE LOCAL_FOLDER MEGABYTES JAR</pre>
 */
class Cluster {
    /** A record is 99 octets and the end of a line. */
    private static final int RECORD = 100;

    private final SparkSession spark;
    private final String base;
    private final String local;
    private final long records;

    private Cluster(SparkSession spark, String base, String local, long records) {
        this.spark = spark;
        this.base = base;
        this.local = local;
        this.records = records;
    }

    public static void main(String[] arguments) throws Exception {
        try (SparkSession spark = SparkSession.builder()
                .master("local-cluster[2,1,1024]")
                .appName("cluster")
                .config("spark.ui.enabled", false)
                .config("spark.executor.memory", "1g")
                .config("spark.executor.extraClassPath", arguments[3])
                .config("spark.sql.shuffle.partitions", 8)
                .config("spark.local.dir", arguments[1])
                .config("spark.sql.warehouse.dir", arguments[0] + "/warehouse")
                .getOrCreate()) {
            long records = Long.parseLong(arguments[2]) * 1_000_000 / RECORD;
            Cluster cluster = new Cluster(spark, arguments[0], "file://" + arguments[1], records);
            cluster.sort();
            cluster.killAnExecutor();
        }
    }

    private Dataset<Row> records() {
        return spark.range(0, records, 1, 8)
                .select(concat(sha2(col("id").cast("string"), 256), lit("-".repeat(RECORD - 1 - 64))).as("value"));
    }

    /** Equal for equal sets of records, whatever their order. */
    private static List<Row> summary(Dataset<Row> of) {
        return of.agg(sum(lit(1)), sum(xxhash64(col("value")).cast("decimal(38,0)"))).collectAsList();
    }

    private double writeSorted(String to) {
        long start = System.nanoTime();
        records().orderBy("value").write().mode(SaveMode.Overwrite).text(to);
        return (System.nanoTime() - start) / 1e9;
    }

    private void sort() throws IOException {
        writeSorted(local + "/warm");
        double there = writeSorted(base + "/sorted");
        double here = writeSorted(local + "/sorted");
        List<Row> expected = summary(records());
        if (!summary(spark.read().text(base + "/sorted")).equals(expected)) {
            throw new AssertionError("the sorted records are others");
        }
        if (!summary(spark.read().text(local + "/sorted")).equals(expected)) {
            throw new AssertionError("the local records are others");
        }
        System.out.printf("SORTED %d records, %.2f of the time on local files%n", inOrder(), there / here);
    }

    /** Reads all parts by their names; the number of records, each not less than the one before. */
    private long inOrder() throws IOException {
        Path folder = new Path(base + "/sorted");
        FileSystem files = folder.getFileSystem(spark.sparkContext().hadoopConfiguration());
        FileStatus[] parts = files.listStatus(folder, path -> path.getName().startsWith("part-"));
        Arrays.sort(parts);
        long count = 0;
        String before = "";
        for (FileStatus part : parts) {
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(files.open(part.getPath()), StandardCharsets.US_ASCII))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    if (line.compareTo(before) < 0) {
                        throw new AssertionError(part.getPath() + " is not in order");
                    }
                    before = line;
                    count++;
                }
            }
        }
        return count;
    }

    private void killAnExecutor() throws Exception {
        Path folder = new Path(base + "/killed");
        FileSystem files = folder.getFileSystem(spark.sparkContext().hadoopConfiguration());
        CompletableFuture<Void> writing =
                CompletableFuture.runAsync(() -> records().write().text(folder.toString()));
        long limit = System.nanoTime() + TimeUnit.MINUTES.toNanos(4);
        while (!isWritten(files, folder)) {
            if (System.nanoTime() > limit || writing.isDone()) {
                throw new AssertionError("no executor was seen writing");
            }
            LockSupport.parkNanos(1_000_000);
        }
        ProcessHandle executor = ProcessHandle.current()
                .descendants()
                .filter(each -> each.info().arguments().stream()
                        .flatMap(Arrays::stream)
                        .anyMatch(word -> word.contains("CoarseGrainedExecutorBackend")))
                .findFirst()
                .orElseThrow();
        executor.destroyForcibly();
        writing.get(4 + records / 5_000_000, TimeUnit.MINUTES);
        System.out.println("KILLED " + executor.pid());
        if (!summary(spark.read().text(folder.toString())).equals(summary(records()))) {
            throw new AssertionError("records are lost or twice behind a killed executor");
        }
        for (FileStatus each : files.listStatus(folder)) {
            if (!each.getPath().getName().matches("part-.*|_SUCCESS")) {
                throw new AssertionError("it has left " + each.getPath());
            }
        }
        System.out.println("WHOLE behind a killed executor");
    }

    /** Whether a task has a file of its own. */
    private static boolean isWritten(FileSystem files, Path folder) throws IOException {
        if (!files.exists(folder)) {
            return false;
        }
        RemoteIterator<LocatedFileStatus> all = files.listFiles(folder, true);
        while (all.hasNext()) {
            if (all.next().getPath().getName().startsWith("part-")) {
                return true;
            }
        }
        return false;
    }
}
