import static org.apache.spark.sql.functions.col;

import java.util.HashSet;
import java.util.Set;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Writes a table as Parquet and as CSV below the first argument, reads both back, and compares them. */
class Tables {
    public static void main(String[] arguments) throws Exception {
        String base = arguments[0];
        try (SparkSession spark = SparkSession.builder()
                .master("local[2]")
                .appName("tables")
                .config("spark.ui.enabled", false)
                .config("spark.sql.shuffle.partitions", 2)
                .config("spark.local.dir", arguments[1])
                .config("spark.sql.warehouse.dir", base + "/warehouse")
                .getOrCreate()) {
            Dataset<Row> rows = spark.range(0, 100_000, 1, 3)
                    .select(col("id"), col("id").multiply(31).mod(1009).as("n"), col("id").cast("string").as("text"));
            rows.write().parquet(base + "/parquet");
            rows.write().option("header", true).csv(base + "/csv");
            compare("parquet", rows, spark.read().parquet(base + "/parquet"));
            compare("csv", rows, spark.read().schema(rows.schema()).option("header", true).csv(base + "/csv"));
            long few = spark.read().parquet(base + "/parquet").filter(col("n").equalTo(7)).count();
            if (few != rows.filter(col("n").equalTo(7)).count()) {
                throw new AssertionError("a filter finds " + few);
            }
        }
    }

    private static void compare(String name, Dataset<Row> written, Dataset<Row> read) {
        Set<Row> rows = new HashSet<>(read.collectAsList());
        if (!rows.equals(new HashSet<>(written.collectAsList()))) {
            throw new AssertionError(name + " differs");
        }
        System.out.println("EQUAL " + name + " " + rows.size());
    }
}
