package io.verbena.hadoop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.StringTokenizer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.PathOutputCommitterFactory;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.apache.hadoop.tools.DistCp;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The programs of Hadoop on the file system, in this process. */
@ExtendWith(SharedExport.class)
final class ToolsTest {
    private static Configuration configuration() {
        Configuration configuration = SharedExport.own().configurationOfProcess();
        configuration.set("mapreduce.framework.name", "local");
        configuration.set("fs.trash.interval", "60");
        configuration.set("mapreduce.client.completion.pollinterval", "20");
        configuration.set("mapreduce.client.progressmonitor.pollinterval", "20");
        return configuration;
    }

    private static int shell(String... arguments) throws Exception {
        return ToolRunner.run(configuration(), new FsShell(), arguments);
    }

    private static Path exported(String path) {
        return SharedExport.own().directory().resolve(path);
    }

    @Test
    void shouldServeTheShell(@TempDir Path folder) throws Exception {
        byte[] content = new byte[5_000_000];
        new Random(1).nextBytes(content);
        Path local = Files.write(folder.resolve("local"), content);

        assertThat(shell("-mkdir", "-p", "/shell/sub")).isZero();
        assertThat(shell("-put", local.toString(), "/shell/file")).isZero();
        assertThat(exported("shell/file")).hasBinaryContent(content);
        assertThat(shell("-appendToFile", local.toString(), "/shell/file")).isZero();
        assertThat(Files.size(exported("shell/file"))).isEqualTo(2L * content.length);
        assertThat(shell("-truncate", "-w", Integer.toString(content.length), "/shell/file"))
                .isZero();
        assertThat(shell("-cp", "-p", "/shell/file", "/shell/sub/copy")).isZero();
        assertThat(shell("-mv", "/shell/file", "/shell/moved")).isZero();
        assertThat(shell("-chmod", "640", "/shell/moved")).isZero();
        assertThat(shell("-checksum", "/shell/moved", "/shell/sub/copy")).isZero();
        assertThat(shell("-get", "/shell/moved", folder.resolve("back").toString()))
                .isZero();
        assertThat(folder.resolve("back")).hasBinaryContent(content);
        assertThat(shell("-test", "-e", "/shell/file")).isEqualTo(1);
        assertThat(shell("-ls", "-R", "/shell")).isZero();
        assertThat(shell("-df", "/")).isZero();
        assertThat(shell("-du", "-s", "/shell")).isZero();
        assertThat(shell("-count", "/shell")).isZero();
    }

    @Test
    void shouldMoveWhatIsRemovedToTheTrash() throws Exception {
        assertThat(shell("-mkdir", "-p", "/trashed")).isZero();
        assertThat(shell("-touch", "/trashed/file")).isZero();

        assertThat(shell("-rm", "-r", "/trashed")).isZero();

        Path trash = exported("user/" + System.getProperty("user.name") + "/.Trash/Current/trashed/file");
        assertThat(trash).exists();
        assertThat(exported("trashed")).doesNotExist();
    }

    @Test
    void shouldCopyBetweenTwoExportsAndCompareChecksums() throws Exception {
        try (TestExport other = new TestExport()) {
            Path source = Files.createDirectories(exported("distcp/sub"));
            byte[] content = new byte[3_000_000];
            new Random(2).nextBytes(content);
            Files.write(source.resolve("a"), content);
            Files.write(source.resolve("empty"), new byte[0]);
            String from = SharedExport.own().uri().resolve("/distcp").toString();
            String to = other.uri().resolve("/copied").toString();
            Configuration configuration = configuration();

            assertThat(ToolRunner.run(configuration, new DistCp(configuration, null), new String[] {from, to}))
                    .isZero();
            assertThat(other.directory().resolve("copied/sub/a")).hasBinaryContent(content);
            assertThat(other.directory().resolve("copied/sub/empty")).exists();
            FileSystem target = FileSystem.get(other.uri(), configuration);
            assertThat(checksums(target)).isEqualTo(1);

            // a change of the same length and time: only the checksum tells
            content[1_500_000]++;
            Object modified = Files.getLastModifiedTime(source.resolve("a"));
            Files.write(source.resolve("a"), content);
            Files.setLastModifiedTime(source.resolve("a"), (java.nio.file.attribute.FileTime) modified);
            assertThat(ToolRunner.run(
                            configuration, new DistCp(configuration, null), new String[] {"-update", from, to}))
                    .isZero();
            assertThat(other.directory().resolve("copied/sub/a")).hasBinaryContent(content);
            target.close();
        }
    }

    private static long checksums(FileSystem files) {
        return ((NfsFileSystem) files).getIOStatistics().counters().get(StoreStatisticNames.OP_GET_FILE_CHECKSUM);
    }

    /** Counts words. */
    public static final class Words extends Mapper<Object, Text, Text, IntWritable> {
        @Override
        protected void map(Object key, Text line, Context context) throws IOException, InterruptedException {
            StringTokenizer words = new StringTokenizer(line.toString());
            while (words.hasMoreTokens()) {
                context.write(new Text(words.nextToken()), new IntWritable(1));
            }
        }
    }

    @Test
    void shouldCommitAJobByManifests() throws Exception {
        Files.createDirectories(exported("job/in"));
        Files.writeString(exported("job/in/one"), "to be or not to be\n");
        Files.writeString(exported("job/in/two"), "to see\n");
        Job job = Job.getInstance(configuration(), "words");
        job.setMapperClass(Words.class);
        job.setReducerClass(IntSumReducer.class);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
        org.apache.hadoop.fs.Path out =
                new org.apache.hadoop.fs.Path(SharedExport.own().uri().resolve("/job/out"));
        FileInputFormat.addInputPath(
                job, new org.apache.hadoop.fs.Path(SharedExport.own().uri().resolve("/job/in")));
        FileOutputFormat.setOutputPath(job, out);

        assertThat(PathOutputCommitterFactory.getCommitterFactory(out, job.getConfiguration()))
                .isInstanceOf(NfsCommitterFactory.class);
        assertThat(job.waitForCompletion(false)).isTrue();

        assertThat(Files.readString(exported("job/out/part-r-00000"), StandardCharsets.UTF_8))
                .isEqualTo("be\t2\nnot\t1\nor\t1\nsee\t1\nto\t3\n");
        assertThat(Files.readString(exported("job/out/_SUCCESS"))).contains("ManifestCommitter");
        try (var left = Files.list(exported("job/out"))) {
            assertThat(left.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("_SUCCESS", "part-r-00000");
        }
    }
}
