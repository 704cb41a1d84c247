package io.verbena.itests.linuxpeer;

import io.verbena.itests.guest.GuestRunner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Hadoop's own tests of file systems against Linux's server, in a JVM that has Hadoop on its class path. Those that
 * remove all there is on the server are left out: the server has exports below its root.
 */
@AgainstLinux
class KnfsdHadoopIT {
    /** What the tests make at the root of the server. */
    private static final String MADE = "contract context main test user";

    private static final Duration LIMIT = Duration.ofMinutes(6);

    /** As {@code GivenExport} of the module hadoop has it. */
    private static final int OWNER = 1000;

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    KnfsdHadoopIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void giveTheRootToTheTests() throws Exception {
        guest.run("chown " + OWNER + " /export");
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.run("chown 0 /export && cd /export && rm -rf " + MADE);
    }

    @TestFactory
    Stream<DynamicTest> shouldKeepWhatHadoopExpectsOfAFileSystem() throws Exception {
        return ReportedTests.of(start(), LIMIT, "here");
    }

    private Process start() throws IOException {
        List<String> arguments = Stream.of(
                        "ContractTest$Append",
                        "ContractTest$BulkDelete",
                        "ContractTest$ContentSummary",
                        "ContractTest$CopyFromLocal",
                        "ContractTest$Create",
                        "ContractTest$Delete",
                        "ContractTest$Etag",
                        "ContractTest$GetFileStatus",
                        "ContractTest$Mkdir",
                        "ContractTest$Open",
                        "ContractTest$Rename",
                        "ContractTest$Seek",
                        "ContractTest$SetTimes",
                        "ContractTest$StreamIOStatistics",
                        "ContractTest$Unbuffer",
                        "ContractTest$GetEnclosingRoot",
                        "ContractTest$VectoredRead",
                        "FileSystemTest",
                        "FileContextTest")
                .flatMap(each -> Stream.of("verbena.contract.run=" + each, "io.verbena.hadoop." + each))
                .toList();
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "\"$@\"; echo '" + ReportedTests.EXIT_STATUS + "'$?",
                "sh",
                java,
                "-ea",
                "-Xmx512m",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                "-Dverbena.contract.uri=nfs+rdma://127.0.0.1:" + guest.nfs().getPort() + "/",
                "-cp",
                classPath(),
                GuestRunner.class.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
    }

    /** Hadoop's own, with the tests of the module hadoop, and what runs them. */
    private static String classPath() throws IOException {
        Path hadoop = Path.of(System.getProperty("verbena.hadoop.tests"));
        return Stream.of(
                        hadoop.resolve("test-classes").toString(),
                        hadoop.resolve("classes").toString(),
                        Files.readString(hadoop.resolve("test.classpath")).strip(),
                        placeOf(GuestRunner.class),
                        placeOf(LauncherFactory.class))
                .collect(Collectors.joining(":"));
    }

    private static String placeOf(Class<?> type) {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .toString();
    }
}
