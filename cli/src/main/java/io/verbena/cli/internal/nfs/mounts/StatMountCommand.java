package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.JsonText;
import io.verbena.cli.Latency;
import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.Repetition;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.complete.MountNameCompleter;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.OperationStatistics;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Shows the activity of a mount. */
@Service
@Command(
        scope = "nfs",
        name = "stat-mount",
        description = "Shows what a mount does: operations, latencies, octets, queue",
        detailedDescription =
                """
            As nfsiostat: first since the mount was made, then for each interval, until Ctrl-C where no count is \
            given. A COMPOUND counts once, for the operation that it is made for. Octets are those of RPC messages, \
            file data included. Latencies are microseconds from handing a request to the transport until its answer \
            is there, and wait is the mean time before that, for a slot.
            With --json one object in a line for each look, durations in nanoseconds.

            Example: nfs:stat-mount docs 2 5""")
public final class StatMountCommand extends ListingCommand {
    @Argument(name = "NAME", description = "The mount's name", required = true)
    @Completion(MountNameCompleter.class)
    private String name;

    @Argument(index = 1, name = "INTERVAL", description = "Seconds between looks")
    private String interval;

    @Argument(index = 2, name = "COUNT", description = "How many looks; without, until Ctrl-C")
    private String count;

    @Reference
    private Mounts mounts;

    private MountStatistics before;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        Repetition repetition = Repetition.of(interval, count);
        before = null;
        repetition.run(number -> {
            Mount mount = mounts.get(name);
            MountStatistics now = mount.statistics();
            MountStatistics shown = before == null ? now : now.since(before);
            before = now;
            if (isJson()) {
                JsonText.print(out, members(mount, shown));
            } else {
                print(mount, shown, out);
            }
            flush(out);
        });
    }

    private void print(Mount mount, MountStatistics shown, PrintStream out) throws IOException {
        double seconds = Math.max(0.001, shown.elapsed().toMillis() / 1000.0);
        out.printf(
                Locale.ROOT,
                "%s %s, %s; %.1f s since %s%n",
                mount.name(),
                Text.printable(mount.source()),
                MountsCommand.state(mount),
                seconds,
                Text.time(shown.since()));
        out.printf(
                Locale.ROOT,
                "slots: %d of %d in use, %d waiting; sessions lost: %d, reconnects: %d, swaps: %d, replayed: %d; open"
                        + " files: %d, delegated: %d%n",
                shown.slotsInUse(),
                shown.slotsGranted(),
                shown.slotsWaiting(),
                shown.sessionsLost(),
                shown.reconnects(),
                shown.swaps(),
                shown.replayed(),
                shown.openFiles(),
                shown.delegations());
        Listing<OperationStatistics> listing = new Listing<OperationStatistics>(Listing.Layout.TABLE, "no operation")
                .text("Operation", OperationStatistics::operation)
                .count("Count", OperationStatistics::count)
                .count("Per s", each -> Math.round(each.count() / seconds))
                .count("Errors", OperationStatistics::errors)
                .count("Retries", OperationStatistics::retries)
                .octets("Sent/s", each -> Math.round(each.sentOctets() / seconds))
                .octets("Received/s", each -> Math.round(each.receivedOctets() / seconds))
                .count("Mean us", each -> Latency.micros(each.roundTrip().meanNanos()))
                .count("p50", each -> Latency.micros(each.roundTrip().percentileNanos(50)))
                .count("p90", each -> Latency.micros(each.roundTrip().percentileNanos(90)))
                .count("p99", each -> Latency.micros(each.roundTrip().percentileNanos(99)))
                .count("p99.9", each -> Latency.micros(each.roundTrip().percentileNanos(99.9)))
                .count("Max", each -> Latency.micros(each.roundTrip().maxNanos()))
                .count("Wait", each -> Latency.micros(each.waiting().meanNanos()));
        print(listing, rows(shown), out);
    }

    private static List<OperationStatistics> rows(MountStatistics shown) {
        List<OperationStatistics> rows = new ArrayList<>(shown.operations());
        if (rows.size() > 1) {
            rows.add(shown.total());
        }
        return rows;
    }

    private static Map<String, Object> members(Mount mount, MountStatistics shown) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", mount.name());
        all.put("source", mount.source());
        all.put("state", MountsCommand.state(mount));
        all.put("since", shown.since());
        all.put("taken", shown.taken());
        all.put("session", shown.session().isEmpty() ? null : shown.session());
        all.put("sessionSince", shown.sessionSince().map(Instant::toString).orElse(null));
        all.put("slotsGranted", shown.slotsGranted());
        all.put("slotsInUse", shown.slotsInUse());
        all.put("slotsWaiting", shown.slotsWaiting());
        all.put("sessionsLost", shown.sessionsLost());
        all.put("reconnects", shown.reconnects());
        all.put("swaps", shown.swaps());
        all.put("replayed", shown.replayed());
        all.put("openFiles", shown.openFiles());
        all.put("delegations", shown.delegations());
        all.put(
                "operations",
                shown.operations().stream().map(StatMountCommand::members).toList());
        return all;
    }

    private static Map<String, Object> members(OperationStatistics operation) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("operation", operation.operation());
        all.put("count", operation.count());
        all.put("errors", operation.errors());
        all.put("retries", operation.retries());
        all.put("sentOctets", operation.sentOctets());
        all.put("receivedOctets", operation.receivedOctets());
        all.put("roundTrip", Latency.members(operation.roundTrip()));
        all.put("waiting", Latency.members(operation.waiting()));
        return all;
    }
}
