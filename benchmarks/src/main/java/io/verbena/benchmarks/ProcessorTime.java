package io.verbena.benchmarks;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The processor time that a process has used. */
final class ProcessorTime {
    private static final OperatingSystemMXBean OWN =
            (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    /** Linux counts in 1/100 s for all programs, whatever the kernel's own clock is (times(2)). */
    private static final long NANOS_OF_A_TICK = 10_000_000;

    private static final int USER = 13;
    private static final int SYSTEM = 14;

    private ProcessorTime() {}

    /** Of this process, in nanoseconds. */
    static long own() {
        return OWN.getProcessCpuTime();
    }

    /** Of another process, in nanoseconds, by proc(5). */
    static long of(Process process) throws IOException {
        String line = Files.readString(Path.of("/proc/" + process.pid() + "/stat"), StandardCharsets.ISO_8859_1);
        // the name of the program is in parentheses, and may contain any octet
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return (Long.parseLong(fields[USER - 2]) + Long.parseLong(fields[SYSTEM - 2])) * NANOS_OF_A_TICK;
    }
}
