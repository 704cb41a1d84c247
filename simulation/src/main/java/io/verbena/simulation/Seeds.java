package io.verbena.simulation;

import io.verbena.simulation.workload.MixedWork;
import io.verbena.simulation.world.FaultChoice;
import io.verbena.simulation.world.Outcome;
import io.verbena.simulation.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** Leaves out the faults without which the world fails too. */
    public static FaultChoice shrink(Outcome failed) throws IOException, InterruptedException {
        long seed = failed.seed();
        int least = 0;
        int most = failed.possibleFaults();
        while (least < most) {
            int middle = (least + most) >>> 1;
            if (fails(seed, new FaultChoice(middle, FaultChoice.ALL.without()))) {
                most = middle;
            } else {
                least = middle + 1;
            }
        }
        FaultChoice choice = new FaultChoice(most, FaultChoice.ALL.without());
        if (!fails(seed, choice)) { // it is not that fewer faults do less
            choice = FaultChoice.ALL;
            most = failed.possibleFaults();
        }
        for (int number = most - 1, tries = 0; number >= 0 && tries < MOST_TRIES; number--, tries++) {
            FaultChoice fewer = choice.without(number);
            if (fails(seed, fewer)) {
                choice = fewer;
            }
        }
        return choice;
    }

    private static boolean fails(long seed, FaultChoice choice) throws IOException, InterruptedException {
        return !run(seed, choice, null).failures().isEmpty();
    }
}
