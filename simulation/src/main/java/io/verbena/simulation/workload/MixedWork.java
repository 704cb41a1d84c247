package io.verbena.simulation.workload;

import io.verbena.simulation.disk.DiskView;
import io.verbena.simulation.scheduler.Scheduler;
import io.verbena.simulation.world.ClientHost;
import io.verbena.simulation.world.Judge;
import io.verbena.simulation.world.World;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** Workers that create, read, change, rename and remove files of their own, and count under a lock that they share. */
public final class MixedWork implements World.Work {
    private final Counter counter = new Counter();
    private final List<Worker> workers = new ArrayList<>();

    @Override
    public void run(ClientHost client, int worker, int operations, SplittableRandom random, Judge judge) {
        Worker made = new Worker(client, client.process().name() + "-" + worker, random, judge, counter);
        workers.add(made);
        made.run(operations);
    }

    @Override
    public void judge(ClientHost fresh, DiskView disk, DiskView stable, Judge judge) {
        for (Worker each : workers) {
            if (each.isKilled()) { // in the middle of something
                continue;
            }
            try {
                each.compareNames(fresh.mount());
                for (Map.Entry<String, byte[]> file : each.model().files().entrySet()) {
                    String path = each.directory() + "/" + file.getKey();
                    compare(fresh, path, file.getValue(), disk, stable, judge);
                }
            } catch (IOException e) {
                judge.fail("in the end: " + Scheduler.text(e));
            }
        }
        try {
            counter.judge(fresh, judge);
        } catch (IOException e) {
            judge.fail("in the end: " + Scheduler.text(e));
        }
    }

    private static void compare(
            ClientHost fresh, String path, byte[] expected, DiskView disk, DiskView stable, Judge judge)
            throws IOException {
        byte[] found = Worker.readWhole(fresh.mount(), path, expected.length);
        if (!Arrays.equals(found, expected)) {
            judge.fail("in the end " + path + " has " + found.length + " octets in place of " + expected.length
                    + ", and differs from " + Arrays.mismatch(found, expected) + " on");
        }
        if (!Arrays.equals(disk.read(path.substring(1)), expected)) {
            judge.fail("in the end the disk has another content of " + path);
        }
        if (!Arrays.equals(stable.read(path.substring(1)), expected)) {
            judge.fail("in the end a loss of power takes back the content of " + path);
        }
    }
}
