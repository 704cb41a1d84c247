package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Transfers of many files at once with little direct memory, with client and server in one JVM: they are slower, but
 * correct.
 *
 * <p>{@code -Dverbena.memory.files=64 -Dverbena.memory.mib=48} is the long form.
 */
final class SmallMemoryIT {
    private static final int FILES = Integer.getInteger("verbena.memory.files", 24);
    private static final int MIB = Integer.getInteger("verbena.memory.mib", 8);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"64m", "256m", "1g"})
    void shouldCopyManyFilesAtOnce(String directMemory) throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Path from = Files.createDirectory(folder.resolve("from"));
        Path back = Files.createDirectory(folder.resolve("back"));
        byte[] content = new byte[MIB << 20];
        for (int i = 0; i < FILES; i++) {
            new Random(i).nextBytes(content);
            Files.write(from.resolve("file-" + i), content);
        }
        Path script = Files.writeString(
                folder.resolve("script"),
                """
                nfs:export --port $1 --squash none --name e $2
                nfs:mount -o port=$1 127.0.0.1:/ m
                nfs:put -r --jobs 64 --verify $3/. m:/
                nfs:get -r --jobs 64 m:/. $4
                rdma:memory --json
                """);

        Launcher.Result run = new Launcher(folder)
                .startWith(
                        Map.of("VERBENA_OPTS", "-XX:MaxDirectMemorySize=" + directMemory),
                        script.toString(),
                        String.valueOf(Launcher.freePort()),
                        served.toString(),
                        from.toString(),
                        back.toString())
                .await();

        assertThat(run.status()).as(run.err()).isZero();
        for (int i = 0; i < FILES; i++) {
            assertThat(Files.mismatch(from.resolve("file-" + i), back.resolve("file-" + i)))
                    .as("file-%d", i)
                    .isEqualTo(-1);
        }
    }

    @Test
    void shouldEndInOneLineWhereNothingFits() throws Exception {
        Path served = Files.createDirectory(folder.resolve("served"));
        Path script = Files.writeString(
                folder.resolve("script"),
                """
                nfs:export --no-root-squash --port $1 --name e $2
                nfs:mount -o port=$1 127.0.0.1:/ m
                """);

        Launcher.Result run = new Launcher(folder)
                .startWith(
                        Map.of("VERBENA_OPTS", "-XX:MaxDirectMemorySize=1m"),
                        script.toString(),
                        String.valueOf(Launcher.freePort()),
                        served.toString())
                .await();

        assertThat(run.status()).isNotZero();
        assertThat(run.failures()).singleElement().asString().contains("cannot mount");
    }
}
