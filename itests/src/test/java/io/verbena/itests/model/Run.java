package io.verbena.itests.model;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The state of a run: the model, the open doors, and the source of random choices. */
final class Run {
    private static final int NAMES = 3;

    final Plan plan;
    final MountPair pair;
    final Trace trace = new Trace();
    /** The expected content of the directory. */
    final Map<String, ModelFile> names = new TreeMap<>();

    /** The current names of the directories below the run's own. */
    final List<String> directories = new ArrayList<>(List.of("d0", "d1"));

    final List<Door> doors = new ArrayList<>();
    private final Random random;
    private int numbers;

    Run(Plan plan, MountPair pair) {
        this.plan = plan;
        this.pair = pair;
        this.random = new Random(plan.seed());
    }

    int number() {
        return ++numbers;
    }

    int below(int bound) {
        return random.nextInt(bound);
    }

    boolean oneIn(int of) {
        return random.nextInt(of) == 0;
    }

    <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    byte[] octets(int length) {
        byte[] octets = new byte[length];
        random.nextBytes(octets);
        return octets;
    }

    /** A random length: often short, sometimes longer than an inline message, seldom longer than a request. */
    int length(int most) {
        int length = 1
                + switch (random.nextInt(10)) {
                    case 0, 1, 2, 3 -> random.nextInt(64);
                    case 4, 5, 6, 7, 8 -> random.nextInt(6000);
                    default -> random.nextInt(40_000);
                };
        return Math.min(length, most);
    }

    /** A random position: often within the content or at the beginning, sometimes behind the end. */
    int position(ModelFile file) {
        int size = file.size();
        int position =
                switch (random.nextInt(10)) {
                    case 0, 1 -> 0;
                    case 2 -> size;
                    case 3 -> size + random.nextInt(3000);
                    default -> random.nextInt(size + 1);
                };
        return Math.min(position, ModelFile.MOST_OCTETS - 1);
    }

    Side side() {
        return pair.side(plan.mounts() == 1 ? 0 : random.nextInt(2));
    }

    /** A random name in the run's directory or in one below it. */
    String name() {
        String in = random.nextInt(2) == 0 ? "" : any(directories) + "/";
        return in + "n" + random.nextInt(NAMES);
    }

    /** The name of an existing file, or any name if there is none. */
    String usedName() {
        return names.isEmpty() || oneIn(12) ? name() : any(List.copyOf(names.keySet()));
    }

    /** A name of a file, or null where it has none. */
    String nameOf(ModelFile file) {
        return names.entrySet().stream()
                .filter(entry -> entry.getValue() == file)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(null);
    }

    List<Door> doors(Predicate<Door> which) {
        return doors.stream().filter(which).toList();
    }

    List<Door> channelsOf(Door root) {
        return doors(door -> door.root() == root && door != root);
    }

    /** All files that can be reached by a name or a door. */
    List<ModelFile> files() {
        List<ModelFile> files = new ArrayList<>(names.values());
        doors.forEach(door -> files.add(door.file()));
        return files.stream()
                .distinct()
                .sorted(Comparator.comparing(ModelFile::toString))
                .toList();
    }

    void note(String what) {
        trace.add(what);
    }
}
