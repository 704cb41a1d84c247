package io.verbena.itests.linuxpeer;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The expected content of a directory after all confirmed operations: names and their objects. */
final class ConfirmedTree {
    /** The types of objects. Hard links of one file share the object's number. */
    enum ThingType {
        DIRECTORY,
        FILE,
        LINK
    }

    /**
     * The known attributes of an object.
     *
     * @param mode the permissions, 0 for a symbolic link, or {@link #ANY_MODE}
     * @param content a file's SHA-256 or a symbolic link's target; null where unknown
     */
    record Thing(ThingType type, int mode, String content) {
        /** The mode is not known. */
        static final int ANY_MODE = -1;

        Thing withMode(int other) {
            return new Thing(type, other, content);
        }

        Thing withContent(String other) {
            return new Thing(type, mode, other);
        }
    }

    private final NavigableMap<String, Integer> numbers = new TreeMap<>();
    private final Map<Integer, Thing> things = new HashMap<>();
    private int made;

    ConfirmedTree copy() {
        ConfirmedTree other = new ConfirmedTree();
        other.numbers.putAll(numbers);
        other.things.putAll(things);
        other.made = made;
        return other;
    }

    void make(String path, Thing thing) {
        numbers.put(path, made);
        things.put(made++, thing);
    }

    void link(String path, String existing) {
        numbers.put(path, numbers.get(existing));
    }

    void remove(String path) {
        numbers.remove(path);
    }

    /** Renames an entry, a directory with everything below it. An existing target is removed. */
    void rename(String from, String to) {
        numbers.put(to, numbers.remove(from));
        for (String below : below(from)) {
            numbers.put(to + below.substring(from.length()), numbers.remove(below));
        }
    }

    /** Changes the known attributes of an object, given by any of its names. */
    void change(String path, Thing thing) {
        things.put(numbers.get(path), thing);
    }

    Thing get(String path) {
        return things.get(numbers.get(path));
    }

    boolean has(String path) {
        return numbers.containsKey(path);
    }

    List<String> paths(ThingType... types) {
        return numbers.keySet().stream()
                .filter(path -> Stream.of(types).anyMatch(type -> get(path).type() == type))
                .toList();
    }

    /** The paths whose objects differ between the two trees, or that are in only one of them; a new set. */
    Set<String> differing(ConfirmedTree other) {
        Set<String> paths = new HashSet<>(numbers.keySet());
        paths.addAll(other.numbers.keySet());
        paths.removeIf(path ->
                has(path) && other.has(path) && get(path).equals(other.get(path)) && links(path) == other.links(path));
        return paths;
    }

    /** The digests of all files. */
    Set<String> contents() {
        return paths(ThingType.FILE).stream().map(path -> get(path).content()).collect(Collectors.toSet());
    }

    /** All paths below a directory. */
    List<String> below(String directory) {
        return List.copyOf(
                numbers.subMap(directory + "/", directory + (char) ('/' + 1)).keySet());
    }

    boolean areOne(String path, String other) {
        return Objects.equals(numbers.get(path), numbers.get(other));
    }

    /**
     * The differences to the confirmed state.
     *
     * @param found all objects found in the directory, by path
     * @return a sentence for each path
     */
    Map<String, String> differences(Map<String, FoundOnDisk> found) {
        Map<String, String> differences = new TreeMap<>();
        for (String path : numbers.keySet()) {
            difference(path, found.get(path), differences);
        }
        for (String path : found.keySet()) {
            if (!has(path)) {
                differences.put(path, "is there, but is gone as confirmed");
            }
        }
        return differences;
    }

    private void difference(String path, FoundOnDisk found, Map<String, String> differences) {
        Thing thing = get(path);
        if (found == null) {
            differences.put(path, "is missing");
        } else if (found.type() != thing.type()) {
            differences.put(path, "is a " + found.type() + " and was a " + thing.type());
        } else if (thing.content() != null && !thing.content().equals(found.content())) {
            differences.put(path, "has " + found.size() + " other octets than were written");
        } else if (thing.type() != ThingType.LINK && thing.mode() != Thing.ANY_MODE && found.mode() != thing.mode()) {
            differences.put(path, String.format("has mode %o and was given %o", found.mode(), thing.mode()));
        } else if (thing.type() == ThingType.FILE && found.links() != links(path)) {
            differences.put(path, "has " + found.links() + " names and was given " + links(path));
        }
    }

    /** The number of names of an object. */
    private long links(String path) {
        return numbers.keySet().stream().filter(other -> areOne(path, other)).count();
    }
}
