package io.verbena.simulation;

import io.verbena.simulation.workload.MixedWork;
import io.verbena.simulation.world.FaultChoice;
import io.verbena.simulation.world.Outcome;
import io.verbena.simulation.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/** Runs the world of a seed, and finds the least of its faults that it fails by. */
public final class Seeds {
    private static final int MOST_TRIES = 300;

    private Seeds() {}

    /**
     * Runs a world.
     *
     * @param story receives what happens; null for nobody
     */
    public static Outcome run(long seed, FaultChoice choice, Consumer<String> story)
            throws IOException, InterruptedException {
        Path memory = Path.of("/dev/shm"); // a folder without a disk below it, where there is one
        Path folder = Files.isWritable(memory)
                ? Files.createTempDirectory(memory, "verbena-world")
                : Files.createTempDirectory("verbena-world");
        try {
            return new World(seed, choice, folder, story).run(new MixedWork());
        } finally {
            remove(folder);
        }
    }

    /** Threads of a world that does not go on may still write there: that hides no failure of the world. */
    private static void remove(Path folder) {
        try {
            World.remove(folder);
        } catch (IOException | UncheckedIOException e) {
            System.err.println(folder + " cannot be removed: " + e);
        }
    }

    /** Leaves out the faults without which the world fails in the same way. */
    public static FaultChoice shrink(Outcome failed) throws IOException, InterruptedException {
        return shrink(failed, MOST_TRIES);
    }

    /** @param mostTries how many faults it tries to leave out one by one */
    static FaultChoice shrink(Outcome failed, int mostTries) throws IOException, InterruptedException {
        int least = 0;
        int most = failed.possibleFaults();
        while (least < most) {
            int middle = (least + most) >>> 1;
            if (failsSo(failed, new FaultChoice(middle, FaultChoice.ALL.without()))) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        FaultChoice choice = new FaultChoice(most, FaultChoice.ALL.without());
        if (!failsSo(failed, choice)) { // it is not that fewer faults do less
            choice = FaultChoice.ALL;
            most = failed.possibleFaults();
        }
        for (int number = most - 1, tries = 0; number >= 0 && tries < mostTries; number--, tries++) {
            FaultChoice fewer = choice.without(number);
            if (failsSo(failed, fewer)) {
                choice = fewer;
            }
        }
        return choice;
    }

    /** Whether a world with these faults fails, and first by the same: another failure is another defect. */
    private static boolean failsSo(Outcome failed, FaultChoice choice) throws IOException, InterruptedException {
        List<String> failures = run(failed.seed(), choice, null).failures();
        return !failures.isEmpty()
                && Failures.areAlike(failures.get(0), failed.failures().get(0));
    }
}
