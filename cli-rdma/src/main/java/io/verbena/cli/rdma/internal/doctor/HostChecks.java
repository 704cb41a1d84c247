package io.verbena.cli.rdma.internal.doctor;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** The checks of the JVM and of this host, RDMA left out. */
final class HostChecks {
    static final int OLDEST_JAVA = 17;
    static final int NEWEST_JAVA = 25;
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64");
    private static final Instant EARLIEST = Instant.parse("2024-01-01T00:00:00Z");
    private static final long FEW_FILES = 1024;
    private static final long MEGABYTE = 1 << 20;
    private static final long LITTLE_ROOM = 100 * MEGABYTE;

    private final Host host;

    HostChecks(Host host) {
        this.host = host;
    }

    /** The JVM: its version, its width, its architecture. */
    void java(Consumer<Finding> told) {
        String version = host.property("java.version");
        String text = version + " (" + host.property("java.vendor") + "), " + host.property("os.arch") + ", "
                + host.property("java.home");
        String bits = host.property("sun.arch.data.model");
        int feature = feature(host.property("java.specification.version"));
        if (bits.equals("32")) {
            told.accept(Finding.problem("java", text + ": 32 bits", "install a JDK of 64 bits, or set JAVA_HOME"));
        } else if (feature < OLDEST_JAVA) {
            told.accept(Finding.problem("java", text, "install a JDK of 17 or newer, or set JAVA_HOME"));
        } else if (feature > NEWEST_JAVA) {
            told.accept(Finding.warning(
                    "java", text + ": newer than any that is tested", "JAVA_HOME with a JDK of 17 to " + NEWEST_JAVA));
        } else if (!ARCHITECTURES.contains(host.property("os.arch"))) {
            told.accept(Finding.warning(
                    "java", text + ": RDMA devices cannot be used on it", "x86_64 or aarch64; software iWARP works"));
        } else {
            told.accept(Finding.ok("java", text));
        }
    }

    private static int feature(String version) {
        return version.matches("\\d{1,4}") ? Integer.parseInt(version) : 0;
    }

    /** The encoding of file names. */
    void locale(Consumer<Finding> told) {
        String names = host.property("sun.jnu.encoding");
        if (names.isEmpty()
                || (Charset.isSupported(names) && Charset.forName(names).equals(StandardCharsets.UTF_8))) {
            told.accept(Finding.ok("names", "names of files are in UTF-8"));
        } else {
            told.accept(Finding.problem(
                    "names",
                    "names of files are in " + names + ": those with other characters cannot be opened",
                    "LC_ALL=C.UTF-8, or another locale with UTF-8"));
        }
    }

    /**
     * Limits of the process.
     *
     * @param hasDevices whether there are RDMA devices, which lock memory
     */
    void limits(boolean hasDevices, Consumer<Finding> told) {
        Optional<List<String>> limits = host.lines("/proc/self/limits");
        if (limits.isEmpty()) {
            told.accept(Finding.warning("limits", "/proc/self/limits cannot be read", "mount /proc"));
            return;
        }
        long files = limit(limits.get(), "Max open files");
        if (files < FEW_FILES) {
            told.accept(Finding.warning(
                    "limits",
                    files + " open files: each connection takes a few",
                    "ulimit -n 65536, or LimitNOFILE=65536 of the service"));
        } else {
            told.accept(Finding.ok("limits", "open files: " + text(files)));
        }
        long locked = limit(limits.get(), "Max locked memory");
        if (hasDevices && locked != Long.MAX_VALUE) {
            told.accept(Finding.warning(
                    "limits",
                    locked / 1024 + " KiB of locked memory: RDMA devices lock all that they transfer",
                    "ulimit -l unlimited, or LimitMEMLOCK=infinity of the service"));
        } else {
            String unused = hasDevices || locked == Long.MAX_VALUE ? "" : " octets, enough without RDMA devices";
            told.accept(Finding.ok("limits", "locked memory: " + text(locked) + unused));
        }
    }

    /** Returns the soft limit of a line; the largest number if there is none. */
    private static long limit(List<String> lines, String name) {
        for (String line : lines) {
            if (line.startsWith(name)) {
                String soft = line.substring(name.length()).strip().split("\\s+", -1)[0];
                return soft.matches("\\d{1,18}") ? Long.parseLong(soft) : Long.MAX_VALUE;
            }
        }
        return Long.MAX_VALUE;
    }

    private static String text(long limit) {
        return limit == Long.MAX_VALUE ? "unlimited" : Long.toString(limit);
    }

    /**
     * The memory of the JVM against that of the host and of its control group.
     *
     * @param heap the largest heap, in octets
     * @param direct the budget of direct memory, in octets; empty if there is no budget
     */
    void memory(long heap, Optional<Long> direct, Consumer<Finding> told) {
        if (direct.isEmpty()) {
            told.accept(
                    Finding.problem("memory", "there is no budget of direct memory", "bundle:start io.verbena.memory"));
            return;
        }
        String text = "heap up to " + heap / MEGABYTE + " MiB, direct memory up to " + direct.get() / MEGABYTE + " MiB";
        long room = Math.min(physical(), control());
        if (direct.get() < 32 * MEGABYTE) {
            told.accept(Finding.warning(
                    "memory", text + ": too little for fast transfers", "VERBENA_OPTS=-XX:MaxDirectMemorySize=1g"));
        } else if (heap + direct.get() > room) {
            told.accept(Finding.warning(
                    "memory",
                    text + ": more than the " + room / MEGABYTE + " MiB that there are",
                    "VERBENA_OPTS='-Xmx256m -XX:MaxDirectMemorySize=256m', or more memory"));
        } else {
            told.accept(Finding.ok("memory", text));
        }
    }

    private long physical() {
        return host.lines("/proc/meminfo").orElse(List.of()).stream()
                .filter(line -> line.matches("MemTotal:\\s+\\d{1,12} kB"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    private long control() {
        return host.lines("/sys/fs/cgroup/memory.max").orElse(List.of()).stream()
                .filter(line -> line.matches("\\d{1,18}"))
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElse(Long.MAX_VALUE);
    }

    /** The clock: whether it is plausible, and whether something keeps it right. */
    void clock(Instant now, Consumer<Finding> told) throws IOException, InterruptedException {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        String remedy = "timedatectl set-ntp true, or another NTP client: times of files and Kerberos need it";
        if (now.isBefore(EARLIEST)) {
            told.accept(Finding.problem("clock", "it is " + time + " here", remedy));
            return;
        }
        Optional<Boolean> isSynchronised = isSynchronised();
        if (isSynchronised.isEmpty()) {
            told.accept(Finding.warning(
                    "clock",
                    time + "; nothing here says whether it is synchronised",
                    "compare it with the server's, unless the machine around this container keeps it right"));
        } else if (isSynchronised.get()) {
            told.accept(Finding.ok("clock", time + ", synchronised"));
        } else {
            told.accept(Finding.warning("clock", time + ", not synchronised", remedy));
        }
    }

    private Optional<Boolean> isSynchronised() throws IOException, InterruptedException {
        Optional<String> said = host.programs().output("timedatectl", "show", "-p", "NTPSynchronized", "--value");
        if (said.isPresent() && said.get().strip().matches("yes|no")) {
            return Optional.of(said.get().strip().equals("yes"));
        }
        Optional<String> tracking = host.programs().output("chronyc", "-n", "tracking");
        if (tracking.isPresent()) {
            return Optional.of(!tracking.get().contains("Not synchronised"));
        }
        return Files.exists(host.file("/run/systemd/timesync/synchronized")) ? Optional.of(true) : Optional.empty();
    }

    /** The directories that a run writes to. */
    void directories(Consumer<Finding> told) {
        Set<String> directories = new LinkedHashSet<>();
        for (String name : List.of("verbena.state", "karaf.data", "java.io.tmpdir")) {
            if (!host.property(name).isEmpty()) {
                directories.add(host.property(name));
            }
        }
        for (String directory : directories) {
            Path path = Path.of(directory);
            directory(path, () -> path.toFile().getUsableSpace(), told);
        }
    }

    /** One directory, and the octets that are free there. */
    static void directory(Path directory, LongSupplier free, Consumer<Finding> told) {
        try {
            Files.delete(Files.createTempFile(directory, "doctor", ".tmp"));
        } catch (IOException e) {
            told.accept(Finding.problem(
                    "directory",
                    directory + " cannot be written to (" + e + ")",
                    "give this user the right, or another directory by --state DIR or TMPDIR"));
            return;
        }
        long room = free.getAsLong();
        String text = directory + ": " + room / MEGABYTE + " MiB free";
        told.accept(
                room < LITTLE_ROOM
                        ? Finding.warning("directory", text, "remove what is not needed, or give another directory")
                        : Finding.ok("directory", text));
    }
}
