package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Extent;
import io.verbena.itests.VerbenaStack;
import io.verbena.itests.linuxpeer.ConfirmedWork.Kind;
import io.verbena.itests.linuxpeer.ConfirmedWork.Loss;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The distribution exports a directory of the guest's ext4, and the guest loses power while clients change the
 * directory. After the next boot every confirmed object exists, and no object whose removal was confirmed.
 *
 * <p>By hand: {@code -Dverbena.seed=N} repeats the operations, though not their timing; {@code -Dverbena.power.cuts=N}
 * sets the number of power cuts; {@code -Dverbena.power.export=--async} passes options to {@code nfs:export}. With
 * {@code --async} the server confirms operations before they are on stable storage, and the test fails because of lost
 * operations. {@code -Dverbena.power.disk=sync}, an option of the guest's own mount, prevents that with any server.
 */
@AgainstLinux(inside = true, judged = false)
@Timeout(1800)
class PowerLossIT {
    private static final int CUTS = Extent.of(1, 10);
    private static final int WORKERS = 4;
    private static final long DISK_OCTETS = 512L << 20;
    private static final int MOST_TOLD = 20;
    private static final long LIMIT_SECONDS = 300;
    private static final String PLACE = "/mnt/power";
    private static final String EXPORTED = PLACE + "/exported";

    private final long seed = Long.getLong("verbena.seed", System.nanoTime());
    private final int cuts = Integer.getInteger("verbena.power.cuts", CUTS);
    private final String exportOptions = System.getProperty("verbena.power.export", "");
    private final String diskOptions = System.getProperty("verbena.power.disk", "defaults");
    private final Random random = new Random(seed);
    private final List<ConfirmedWork> works = new ArrayList<>();
    private final Set<Loss> losses = new LinkedHashSet<>();

    @TempDir
    private Path folder;

    @Test
    void shouldKeepWhatWasConfirmed() throws Exception {
        Path disk = folder.resolve("disk");
        try (RandomAccessFile file = new RandomAccessFile(disk.toFile(), "rw")) {
            file.setLength(DISK_OCTETS); // the guest creates an ext4 file system in it
        }
        for (int cut = 0; cut <= cuts; cut++) {
            try (LinuxGuest guest = LinuxGuest.bootWithDisk(disk)) {
                if (cut == 0) {
                    guest.run("mke2fs -q -t ext4 " + LinuxGuest.DISK);
                }
                mountDisk(guest);
                Map<String, FoundOnDisk> found = FoundOnDisk.below(guest, EXPORTED);
                works.forEach(work -> losses.addAll(work.losses(found)));
                if (cut < cuts) {
                    workUntilThePowerIsCut(guest, cut);
                }
            }
        }
        if (!losses.isEmpty()) {
            throw new AssertionError(summary());
        }
    }

    private void mountDisk(LinuxGuest guest) throws IOException, InterruptedException {
        guest.run("mkdir -p " + PLACE + " && mount -t ext4 -o " + diskOptions + " " + LinuxGuest.DISK + " " + PLACE
                + " && mkdir -p " + EXPORTED + " && chmod 777 " + EXPORTED + " && sync -f " + PLACE);
    }

    /**
     * Lets four threads change directories of their own until the power is cut. Before every second cut they change
     * only names for a while, since a sync of any file brings all earlier names to stable storage.
     */
    private void workUntilThePowerIsCut(LinuxGuest guest, int cut) throws Exception {
        GuestVerbena verbena = new GuestVerbena(guest); // not closed, since it ends with the guest
        verbena.run("nfs:export " + exportOptions + " --allow any --address " + LinuxGuest.IWARP + " --port "
                + LinuxGuest.OWN_PORT + " --squash none --name power " + EXPORTED);
        int mixed = 200 + random.nextInt(100);
        int namesOnly = cut % 2 == 0 ? 60 + random.nextInt(100) : 0;
        AtomicInteger confirmed = new AtomicInteger();
        CountDownLatch over = new CountDownLatch(1);
        Runnable onConfirmed = () -> {
            if (confirmed.incrementAndGet() == mixed + namesOnly) {
                guest.cutPower();
                over.countDown();
            }
        };
        ExecutorService threads = Executors.newFixedThreadPool(WORKERS);
        try (VerbenaStack stack = new VerbenaStack();
                NfsMount mount = stack.mount(guest.own(), "/", "")) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                ConfirmedWork work = new ConfirmedWork(
                        mount,
                        "/cut" + cut + "-" + i,
                        random.nextLong(),
                        () -> namesOnly > 0 && confirmed.get() >= mixed,
                        onConfirmed);
                works.add(work);
                running.add(threads.submit(() -> run(work, () -> confirmed.get() >= mixed + namesOnly, over)));
            }
            assertThat(over.await(LIMIT_SECONDS, TimeUnit.SECONDS))
                    .as("seed %d: %d operations confirmed", seed, confirmed.get())
                    .isTrue();
            end(mount); // this also ends operations that wait for the server
            for (Future<?> each : running) {
                each.get(LIMIT_SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    /** Closes a resource before the end of its block. */
    private static void end(AutoCloseable resource) throws Exception {
        resource.close();
    }

    /** Runs a thread's work. Operations under way fail when the power is cut; no operation may fail before. */
    private Void run(ConfirmedWork work, BooleanSupplier isCut, CountDownLatch over) {
        try {
            work.run();
        } catch (IOException e) {
            if (!isCut.getAsBoolean()) {
                throw new AssertionError("seed " + seed + ": " + e, e);
            }
        } finally {
            over.countDown(); // the test need not wait any longer
        }
        return null;
    }

    private String summary() {
        Map<Kind, Long> kinds = losses.stream()
                .filter(loss -> loss.kind() != null)
                .collect(Collectors.groupingBy(
                        Loss::kind,
                        () -> new EnumMap<>(Kind.class),
                        Collectors.mapping(
                                Loss::operation, Collectors.collectingAndThen(Collectors.toSet(), operations ->
                                        (long) operations.size()))));
        int confirmed = works.stream().mapToInt(ConfirmedWork::confirmed).sum();
        return "seed " + seed + ": of " + confirmed + " operations that were confirmed before " + cuts
                + " losses of power, "
                + kinds.values().stream().mapToLong(n -> n).sum()
                + " are not so afterwards, " + kinds + ", which " + losses.size() + " paths show, like\n"
                + losses.stream().map(Loss::text).limit(MOST_TOLD).collect(Collectors.joining("\n"));
    }
}
