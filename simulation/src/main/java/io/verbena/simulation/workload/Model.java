package io.verbena.simulation.workload;

import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;

/** What a worker's directory has to contain. */
final class Model {
    private final Map<String, byte[]> files = new TreeMap<>();
    private int names;

    Map<String, byte[]> files() {
        return files;
    }

    boolean isEmpty() {
        return files.isEmpty();
    }

    String newName() {
        return "f" + names++;
    }

    String any(SplittableRandom random) {
        int skip = random.nextInt(files.size());
        return files.keySet().stream().skip(skip).findFirst().orElseThrow();
    }
}
