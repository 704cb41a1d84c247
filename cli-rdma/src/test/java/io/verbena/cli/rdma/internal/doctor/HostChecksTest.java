package io.verbena.cli.rdma.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is found of the JVM and of a host made of files. */
final class HostChecksTest extends FindingsTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");

    private final Map<String, String> properties = new HashMap<>(Map.of(
            "java.version", "17.0.9",
            "java.vendor", "Any",
            "java.specification.version", "17",
            "sun.arch.data.model", "64",
            "os.arch", "amd64",
            "java.home", "/opt/jdk"));
    private final Map<String, String> programs = new HashMap<>();

    private HostChecks checks() {
        return new HostChecks(
                new Host(root, properties::get, command -> Optional.ofNullable(programs.get(command[0]))));
    }

    @Test
    void shouldKnowGoodAndBadJvms() {
        checks().java(found::add);
        assertThat(only()).isEqualTo("ok       java       17.0.9 (Any), amd64, /opt/jdk");

        properties.put("java.specification.version", "27");
        checks().java(found::add);
        assertThat(only()).startsWith("warning  java").contains("newer than any that is tested; to do: JAVA_HOME");

        properties.put("java.specification.version", "11");
        checks().java(found::add);
        assertThat(only()).startsWith("problem  java").contains("to do: install a JDK of 17");

        properties.put("java.specification.version", "1.8");
        checks().java(found::add);
        assertThat(only()).startsWith("problem  java");

        properties.put("java.specification.version", "17");
        properties.put("os.arch", "s390x");
        checks().java(found::add);
        assertThat(only()).startsWith("warning  java").contains("RDMA devices cannot be used");

        properties.put("sun.arch.data.model", "32");
        checks().java(found::add);
        assertThat(only()).startsWith("problem  java").contains("64 bits");

        properties.clear();
        checks().java(found::add);
        assertThat(only()).startsWith("problem  java");
    }

    @Test
    void shouldTellOfNamesThatAreNotInUtf8() {
        properties.put("sun.jnu.encoding", "ANSI_X3.4-1968");
        checks().locale(found::add);
        assertThat(only()).startsWith("problem  names").contains("LC_ALL=C.UTF-8");

        properties.put("sun.jnu.encoding", "UTF-8");
        checks().locale(found::add);
        assertThat(only()).startsWith("ok ");
    }

    @Test
    void shouldReadLimits() throws Exception {
        checks().limits(true, found::add);
        assertThat(only()).startsWith("warning  limits").contains("/proc");

        file(
                "proc/self/limits",
                """
                Limit                     Soft Limit           Hard Limit           Units
                Max locked memory         65536                65536                bytes
                Max open files            256                  4096                 files
                """);
        checks().limits(true, found::add);
        assertThat(found.get(0).line()).startsWith("warning").contains("256 open files", "ulimit -n");
        assertThat(found.get(1).line()).startsWith("warning").contains("64 KiB of locked memory", "LimitMEMLOCK");
        found.clear();
        checks().limits(false, found::add);
        assertThat(found.get(1).line()).startsWith("ok").contains("enough without RDMA devices");
        found.clear();

        file(
                "proc/self/limits",
                """
                Max locked memory         unlimited            unlimited            bytes
                Max open files            1048576              1048576              files
                """);
        checks().limits(true, found::add);
        assertThat(found).hasSize(2).allMatch(finding -> finding.level() == Finding.Level.OK);
    }

    @Test
    void shouldCompareMemoryWithThatOfTheHostAndOfTheControlGroup() throws Exception {
        long megabyte = 1 << 20;
        checks().memory(100 * megabyte, Optional.empty(), found::add);
        assertThat(only()).startsWith("problem  memory");

        checks().memory(100 * megabyte, Optional.of(200 * megabyte), found::add);
        assertThat(only()).startsWith("ok       memory").contains("100 MiB", "200 MiB");

        file("proc/meminfo", "MemTotal:         262144 kB\nMemFree: 1 kB\n");
        checks().memory(100 * megabyte, Optional.of(200 * megabyte), found::add);
        assertThat(only()).startsWith("warning  memory").contains("256 MiB that there are");

        file("proc/meminfo", "MemTotal:         999999999 kB\n");
        file("sys/fs/cgroup/memory.max", "134217728\n");
        checks().memory(100 * megabyte, Optional.of(200 * megabyte), found::add);
        assertThat(only()).startsWith("warning  memory").contains("128 MiB that there are");

        file("sys/fs/cgroup/memory.max", "max\n");
        checks().memory(100 * megabyte, Optional.of(16 * megabyte), found::add);
        assertThat(only()).startsWith("warning  memory").contains("too little");
    }

    @Test
    void shouldKnowWhetherTheClockIsSynchronised() throws Exception {
        checks().clock(NOW, found::add);
        assertThat(only()).startsWith("warning  clock").contains("nothing here says");

        programs.put("chronyc", "Leap status     : Not synchronised\n");
        checks().clock(NOW, found::add);
        assertThat(only()).startsWith("warning  clock").contains("not synchronised; to do: timedatectl");

        programs.put("timedatectl", "yes\n");
        checks().clock(NOW, found::add);
        assertThat(only()).isEqualTo("ok       clock      2026-01-31T12:00:00Z, synchronised");

        programs.clear();
        file("run/systemd/timesync/synchronized", "");
        checks().clock(NOW, found::add);
        assertThat(only()).startsWith("ok ");

        checks().clock(Instant.EPOCH, found::add);
        assertThat(only()).startsWith("problem  clock");
    }

    @Test
    void shouldTryDirectories() throws Exception {
        HostChecks.directory(root, () -> 1L << 40, found::add);
        assertThat(only()).startsWith("ok       directory").contains("1048576 MiB free");
        HostChecks.directory(root, () -> 1 << 20, found::add);
        assertThat(only()).startsWith("warning  directory");
        HostChecks.directory(root.resolve("missing"), () -> 0, found::add);
        assertThat(only()).startsWith("problem  directory").contains("cannot be written to", "--state DIR");
        assertThat(root).isEmptyDirectory();

        properties.put("java.io.tmpdir", root.toString());
        properties.put("karaf.data", root.toString());
        checks().directories(found::add);
        assertThat(found).hasSize(1);
    }
}
