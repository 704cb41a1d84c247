package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.JsonText;
import io.verbena.cli.Latency;
import io.verbena.cli.Text;
import io.verbena.cli.internal.MountedPath;
import io.verbena.cli.internal.RemotePaths;
import io.verbena.cli.internal.bench.Bench;
import io.verbena.cli.internal.bench.Measured;
import io.verbena.cli.internal.complete.RemotePathCompleter;
import io.verbena.cli.internal.nfs.command.RemoteCommand;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Measures a mount. */
@Service
@Command(
        scope = "nfs",
        name = "bench",
        description = "Measures a mount: writing, reading and names, with latencies",
        detailedDescription =
                """
            In a directory of its own, which is removed in the end, at Ctrl-C too. Each thread writes a file of its \
            own and reads it back (a server may well do so from its memory), then all of them make, look at and \
            remove small files. The times are those of the user's calls of a block each: writes are on stable storage \
            at the end of their phase only. MB are 1,000,000 octets.

            Example: nfs:bench docs
                     nfs:bench --size 1G --block 1M --threads 8 docs:/scratch""")
public final class BenchCommand extends RemoteCommand {
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})([KMG]?)");
    private static final long LEAST_BLOCK = 512;
    private static final long MOST_BLOCK = 64L << 20;
    private static final long MOST_TOTAL = 1L << 40;
    private static final int MOST_THREADS = 256;
    private static final int MOST_FILES = 1_000_000;

    @Option(name = "--size", description = "Octets to write and read, by all threads; as 512M")
    private String size = "256M";

    @Option(name = "--block", description = "Octets of each read and write, 512 to 64M")
    private String block = "1M";

    @Option(name = "--threads", description = "How many work at once, 1 to 256")
    private String threads = "4";

    @Option(name = "--files", description = "Small files to make, look at and remove")
    private String files = "400";

    @Option(name = "--json", description = "Prints a JSON object, durations in nanoseconds")
    private boolean json;

    @Argument(name = "NAME[:/DIRECTORY]", description = "The mount, and where on it", required = true)
    @Completion(RemotePathCompleter.class)
    private String where;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        Bench.Sizes sizes = new Bench.Sizes(
                number("--size", size, 1, MOST_TOTAL),
                (int) number("--block", block, LEAST_BLOCK, MOST_BLOCK),
                (int) number("--threads", threads, 1, MOST_THREADS),
                (int) number("--files", files, 1, MOST_FILES));
        MountedPath place = RemotePaths.oneOrRoot(where, session(), mounts());
        Mount mount = place.mount();
        List<Measured> all = new ArrayList<>();
        Bench bench = new Bench(mount, place.path(), sizes, measured -> {
            all.add(measured);
            if (!json) {
                print(measured, out);
            }
        });
        if (!json) {
            out.printf(
                    Locale.ROOT,
                    "%s:%s, %d octets in blocks of %d, %d threads, %d files%n",
                    mount.name(),
                    Text.printable(bench.directory()),
                    sizes.total(),
                    sizes.block(),
                    sizes.threads(),
                    sizes.files());
            out.flush();
        }
        mounts().transfer(() -> {
            try {
                bench.run();
            } catch (IOException e) {
                throw Failures.about(place.toString(), e);
            }
            return null;
        });
        if (json) {
            JsonText.print(out, members(mount, sizes, all));
        }
    }

    private static void print(Measured measured, PrintStream out) {
        String rate = measured.octets() > 0
                ? String.format(Locale.ROOT, "%10.1f MB/s", measured.megabytesPerSecond())
                : " ".repeat(15);
        out.printf(
                Locale.ROOT,
                "%-7s %s %10.0f operations/s  %s%n",
                measured.phase(),
                rate,
                measured.perSecond(),
                Latency.summary(measured.times()));
        out.flush();
    }

    private static Map<String, Object> members(Mount mount, Bench.Sizes sizes, List<Measured> phases) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("name", mount.name());
        all.put("source", mount.source());
        all.put("size", sizes.total());
        all.put("block", sizes.block());
        all.put("threads", sizes.threads());
        all.put("files", sizes.files());
        all.put("phases", phases.stream().map(BenchCommand::members).toList());
        return all;
    }

    private static Map<String, Object> members(Measured measured) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("phase", measured.phase());
        all.put("operations", measured.operations());
        all.put("octets", measured.octets());
        all.put("nanos", measured.nanos());
        all.put("operationsPerSecond", Math.round(measured.perSecond()));
        all.put("octetsPerSecond", Math.round(measured.megabytesPerSecond() * 1e6));
        all.put("times", Latency.members(measured.times()));
        return all;
    }

    private static long number(String option, String text, long least, long most) throws CommandException {
        Matcher size = SIZE.matcher(text.toUpperCase(Locale.ROOT));
        long value = -1;
        if (size.matches()) {
            int shift = size.group(2).isEmpty() ? 0 : 10 * (1 + "KMG".indexOf(size.group(2)));
            value = Long.parseLong(size.group(1)) << shift;
        }
        if (value < least || value > most) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    option + " takes a number from " + least + " to " + most + ", as 64K or 1M, not '"
                            + Text.printable(text) + "'");
        }
        return value;
    }
}
