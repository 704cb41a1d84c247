package io.verbena.simulation.world;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Which of a seed's faults happen.
 *
 * @param count the first so many
 * @param without numbers of faults that do not happen
 */
public record FaultChoice(int count, Set<Integer> without) {
    /** All of them. */
    public static final FaultChoice ALL = new FaultChoice(Integer.MAX_VALUE, new TreeSet<>());

    boolean has(int number) {
        return number < count && !without.contains(number);
    }

    /** One fault less. */
    public FaultChoice without(int number) {
        Set<Integer> more = new TreeSet<>(without);
        more.add(number);
        return new FaultChoice(count, more);
    }

    /** The numbers of the faults that happen, of so many that could. */
    public List<Integer> numbers(int possible) {
        return IntStream.range(0, possible).filter(this::has).boxed().toList();
    }
}
