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
    private final SharedFiles shared = new SharedFiles();
    private final List<Worker> workers = new ArrayList<>();

    @Override
    public void run(ClientHost client, int worker, int operations, SplittableRandom random, Judge judge) {
        Worker made = new Worker(client, client.process().name() + "-" + worker, random, judge, shared);
        workers.add(made);
        made.run(operations);
    }

    @Override
    public void judge(ClientHost fresh, DiskView disk, DiskView stable, Judge judge) {
        for (Worker each : workers) {
            boolean isWhole = !each.isKilled(); // else in the middle of something
            try {
                if (isWhole) {
                    each.compareNames(fresh.mount());
                }
                for (Map.Entry<String, byte[]> file : (isWhole ? each.model().files() : each.settled()).entrySet()) {
                    String path = each.directory() + "/" + file.getKey();
                    if (isWhole) {
                        compare(fresh, path, file.getValue(), judge);
                    }
                    compare(path, file.getValue(), disk, stable, judge);
                }
            } catch (IOException e) {
                judge.fail("in the end: " + Scheduler.text(e));
            }
        }
        try {
            shared.counter().judge(fresh, judge);
            if (judge.isSharing()) {
                shared.cells().judge(fresh, judge);
                shared.notices().judge(fresh, judge);
                shared.log().judge(fresh, judge);
            }
        } catch (IOException e) {
            judge.fail("in the end: " + Scheduler.text(e));
        }
    }

    private static void compare(ClientHost fresh, String path, byte[] expected, Judge judge) throws IOException {
        byte[] found = Worker.readWhole(fresh.mount(), path, expected.length);
        if (!Arrays.equals(found, expected)) {
            judge.fail("in the end " + path + " has " + found.length + " octets in place of " + expected.length
                    + ", and differs from " + Arrays.mismatch(found, expected) + " on");
        }
    }

    private static void compare(String path, byte[] expected, DiskView disk, DiskView stable, Judge judge)
            throws IOException {
        if (!Arrays.equals(disk.read(path.substring(1)), expected)) {
            judge.fail("in the end the disk has another content of " + path);
        }
        if (!Arrays.equals(stable.read(path.substring(1)), expected)) {
            judge.fail("in the end a loss of power takes back the content of " + path);
        }
    }
}
