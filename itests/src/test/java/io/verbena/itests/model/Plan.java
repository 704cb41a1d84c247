package io.verbena.itests.model;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The parameters of a run. The same plan yields the same steps with the same implementation, independent of timing.
 *
 * @param steps the number of steps
 * @param doorsPerFile the most open doors of a mount on one file
 * @param mounts 1, or 2
 */
public record Plan(long seed, int steps, Set<Kind> kinds, Set<DoorKind> doors, int doorsPerFile, int mounts) {
    /** A plan of all kinds of steps and doors; system properties override the values. */
    public static Plan of(int steps) {
        return new Plan(
                Long.getLong("verbena.model.seed", System.nanoTime()),
                Integer.getInteger("verbena.model.steps", steps),
                named(Kind.class, "verbena.model.kinds"),
                named(DoorKind.class, "verbena.model.doors"),
                Integer.getInteger("verbena.model.doorsPerFile", 4),
                Integer.getInteger("verbena.model.mounts", 2));
    }

    private static <E extends Enum<E>> Set<E> named(Class<E> type, String property) {
        String names = System.getProperty(property, "");
        Set<E> all = EnumSet.allOf(type);
        if (!names.isEmpty()) {
            Set<String> wanted = Set.of(names.split(",", -1));
            all.removeIf(each -> !wanted.contains(each.name()));
            if (all.size() < wanted.size()) {
                throw new IllegalArgumentException(property + "=" + names + ": known are " + EnumSet.allOf(type));
            }
        }
        return all;
    }

    public Plan without(Kind... left) {
        Set<Kind> rest = EnumSet.copyOf(kinds);
        rest.removeAll(Set.of(left));
        return new Plan(seed, steps, rest, doors, doorsPerFile, mounts);
    }

    Plan withSeed(long other) {
        return new Plan(other, steps, kinds, doors, doorsPerFile, mounts);
    }

    boolean takes(Kind kind) {
        return kinds.contains(kind);
    }

    /** The command-line options that repeat this plan. */
    @Override
    public String toString() {
        String text = "-Dverbena.model.seed=" + seed + " -Dverbena.model.steps=" + steps;
        if (!kinds.containsAll(EnumSet.allOf(Kind.class))) {
            text += " -Dverbena.model.kinds=" + list(kinds);
        }
        if (!doors.containsAll(EnumSet.allOf(DoorKind.class))) {
            text += " -Dverbena.model.doors=" + list(doors);
        }
        return text + " -Dverbena.model.doorsPerFile=" + doorsPerFile + " -Dverbena.model.mounts=" + mounts;
    }

    private static String list(Set<? extends Enum<?>> set) {
        return set.stream().map(Enum::name).collect(Collectors.joining(","));
    }
}
