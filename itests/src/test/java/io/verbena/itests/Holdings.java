package io.verbena.itests;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The resources of this process, which has the client and the export in it.
 *
 * @param threads the names of the product's threads
 * @param descriptors the targets of open sockets, pipes and files of tests
 * @param directOctets of direct memory
 * @param heapOctets reachable ones
 */
public record Holdings(Set<String> threads, List<String> descriptors, long directOctets, long heapOctets) {
    /** What the JVM and the test may take meanwhile: 420 octets a connection, 4 KiB a mount. */
    public static final long SLACK = 4 << 20;

    private static final int COLLECTIONS = 3;
    private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

    /** What the process has now, after a collection. */
    public static Holdings now() {
        return new Holdings(threadNames(), openDescriptors(), directMemory(), heap());
    }

    /** Whether the process has no more than it had before. */
    public boolean isWithin(Holdings before) {
        return before.threads.containsAll(threads)
                && descriptors.size() <= before.size()
                && directOctets <= before.directOctets + SLACK
                && heapOctets <= before.heapOctets + SLACK;
    }

    /** The number of descriptors. */
    public int size() {
        return descriptors.size();
    }

    /**
     * Descriptors of sockets, pipes and files of tests; jars are left out, since class loading opens them at any
     * time.
     */
    private static List<String> openDescriptors() {
        Path open = Path.of("/proc/self/fd");
        if (!Files.isDirectory(open)) {
            return List.of(); // not Linux: only threads and memory can be checked
        }
        List<String> targets = new ArrayList<>();
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(open)) {
            for (Path descriptor : descriptors) {
                String target = targetOf(descriptor);
                if (!target.startsWith("/") || target.startsWith(TEMPORARY)) {
                    targets.add(target);
                }
            }
        } catch (IOException e) {
            throw new AssertionError("cannot list " + open, e);
        }
        return targets;
    }

    private static String targetOf(Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).toString();
        } catch (NoSuchFileException e) {
            return "/"; // the descriptor was closed after it was listed
        }
    }

    /** What is reachable: the least of some collections, since objects of other threads come and go. */
    private static long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(
                    least,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        return least;
    }

    private static long directMemory() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    /** The names of the product's threads. */
    public static Set<String> threadNames() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.contains("verbena") || name.contains("iwarp") || name.contains("rpcrdma"))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
