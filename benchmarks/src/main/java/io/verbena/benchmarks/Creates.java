package io.verbena.benchmarks;

import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several threads create and close empty files in one directory. The files are removed after the measurement. */
final class Creates implements Case {
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);

    private final String name;
    private final Mount mount;
    private final ExecutorService threads;
    private final int outstanding;

    Creates(String name, Mount mount, int outstanding) {
        this.name = name;
        this.mount = mount;
        this.outstanding = outstanding;
        threads = Executors.newFixedThreadPool(outstanding);
    }

    @Override
    public String name() {
        return name + " x" + outstanding;
    }

    @Override
    public double run(Duration time) throws Exception {
        long begin = System.nanoTime();
        long end = begin + time.toNanos();
        List<Integer> counts = onAll(maker -> () -> make(maker, end));
        double perSecond = counts.stream().mapToLong(Integer::longValue).sum() * 1e9 / (System.nanoTime() - begin);
        List<Integer> unused = onAll(maker -> () -> remove(maker, counts.get(maker)));
        return perSecond;
    }

    @FunctionalInterface
    private interface Work {
        Callable<Integer> of(int maker);
    }

    private List<Integer> onAll(Work work) throws Exception {
        List<Callable<Integer>> all = new ArrayList<>(outstanding);
        for (int maker = 0; maker < outstanding; maker++) {
            all.add(work.of(maker));
        }
        List<Integer> results = new ArrayList<>(outstanding);
        for (Future<Integer> each : threads.invokeAll(all)) {
            results.add(each.get());
        }
        return results;
    }

    private static String path(int maker, int file) {
        return "/file-" + maker + '-' + file;
    }

    private int make(int maker, long end) throws IOException {
        int count = 0;
        while (System.nanoTime() - end < 0) {
            mount.open(path(maker, count), NEW, 0644).close();
            count++;
        }
        return count;
    }

    private int remove(int maker, int count) throws IOException {
        for (int file = 0; file < count; file++) {
            mount.remove(path(maker, file));
        }
        return count;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
