package io.verbena.simulation.scale;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs fleets and prints what became of them.
 *
 * <pre>
 * simulation/scale [--clients N] [--mounts N] [--connections N] [--seed SEED]
 * </pre>
 */
public final class ScaleMain {
    private static final String USAGE =
            "usage: simulation/scale [--clients N] [--mounts N] [--connections N] [--seed SEED]";

    private ScaleMain() {}

    public static void main(String[] arguments) throws Exception {
        Map<String, Integer> given = new TreeMap<>();
        for (int at = 0; at < arguments.length; at += 2) {
            if (!arguments[at].matches("--(clients|mounts|connections|seed)")) {
                refuse("unknown: " + arguments[at]);
            }
            if (at + 1 == arguments.length || !arguments[at + 1].matches("[0-9]{1,6}")) {
                refuse(arguments[at] + " takes a number up to 999999");
            }
            given.put(arguments[at], Integer.parseInt(arguments[at + 1]));
        }
        if (given.getOrDefault("--clients", 0) + given.getOrDefault("--mounts", 0) == 0
                && (given.containsKey("--clients") || given.containsKey("--mounts"))) {
            refuse("there is no fleet: give --clients or --mounts a number above 0");
        }
        System.exit(run(given));
    }

    private static void refuse(String why) {
        System.err.println(why);
        System.err.println(USAGE);
        System.exit(2);
    }

    private static int run(Map<String, Integer> given) throws Exception {
        boolean isAll = !given.containsKey("--clients") && !given.containsKey("--mounts");
        int clients = given.getOrDefault("--clients", isAll ? 10_000 : 0);
        int mounts = given.getOrDefault("--mounts", isAll ? 1_000 : 0);
        int seed = given.getOrDefault("--seed", 1);
        List<ScaleResult> results = new ArrayList<>();
        if (clients > 0) {
            results.add(run(ScaleOptions.clients(clients, seed), given));
        }
        if (mounts > 0) {
            results.add(run(ScaleOptions.mounts(mounts, seed), given));
        }
        System.out.print(ScaleTable.of(results));
        return results.stream().allMatch(each -> each.failures().isEmpty()) ? 0 : 1;
    }

    private static ScaleResult run(ScaleOptions options, Map<String, Integer> given) throws Exception {
        Integer most = given.get("--connections");
        ScaleOptions chosen = most == null ? options : options.withMaxConnections(most);
        System.err.println(ScaleTable.title(chosen));
        ScaleResult result = new ScaleRun(chosen, System.err::println).run();
        result.failures().stream().limit(20).forEach(each -> System.err.println("FAILED: " + each));
        return result;
    }
}
