package io.verbena.cli.rdma.internal;

import io.verbena.cli.CliCommand;
import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.text.LocalNames;
import io.verbena.verbs.trace.TraceStatus;
import io.verbena.verbs.trace.WireTrace;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Optional;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;
import org.apache.karaf.shell.support.completers.FileCompleter;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** Writes the traffic of RDMA connections to a file. */
@Service
@Command(
        scope = "rdma",
        name = "trace",
        description = "Writes what RDMA connections carry to a pcapng file",
        detailedDescription =
                """
            All connections of all providers, those that stand already too, as iWARP over TCP/IP, which Wireshark and \
            tshark read down to RPC and NFS, and rpcrdma:decode --pcap. One trace at a time; it goes on when a \
            provider is replaced.
            Of the provider in software the file has the frames that are sent and received, in TCP packets made for \
            it. Of a device, where no sniffer sees anything, it has frames made of what this side posts and receives: \
            Sends, RDMA Writes, RDMA Reads and their data. What a peer writes to our memory or reads of it only the \
            device knows: that is not in the file.
            Data does not wait for the file. What comes too fast is dropped; stop tells how much, and so does the \
            file. The file is readable for its owner only, since it holds what files hold.

            Example: rdma:trace start /tmp/mount.pcapng
                     rdma:trace stop""")
public final class TraceCommand extends CliCommand {
    /** Completes the actions of the command. */
    @Service
    public static final class ActionCompleter extends StringsCompleter {
        public ActionCompleter() {
            super(new String[] {"start", "stop", "status"});
        }
    }

    @Option(name = "--force", description = "Writes over a file that is there")
    private boolean force;

    @Argument(name = "start|stop|status", description = "What to do", required = true)
    @Completion(ActionCompleter.class)
    private String action;

    @Argument(index = 1, name = "FILE", description = "Where to write to; for start only")
    @Completion(FileCompleter.class)
    private String file;

    @Reference
    private RdmaServices services;

    @Override
    protected void run(PrintStream out) throws IOException, CommandException {
        if (action.equals("start") != (file != null)) {
            throw new CommandFailure(
                    ExitStatus.USAGE,
                    action.equals("start")
                            ? "name the file to write: rdma:trace start FILE"
                            : "only start takes a file");
        }
        WireTrace trace = services.trace()
                .orElseThrow(() -> new CommandFailure(
                        ExitStatus.NO_CONNECTION, "the bundle io.verbena.verbs.trace is not started"));
        switch (action) {
            case "start" -> {
                start(trace);
                note("tracing to " + Text.printable(file));
            }
            case "stop" -> note("traced " + describe(stop(trace)));
            case "status" -> out.println(status(trace.status()));
            default ->
                throw new CommandFailure(
                        ExitStatus.USAGE,
                        "rdma:trace takes start, stop or status, not '" + Text.printable(action) + "'");
        }
    }

    private void start(WireTrace trace) throws IOException, CommandException {
        try {
            trace.start(invocation().path(file), force);
        } catch (IllegalStateException e) {
            throw new CommandException(Text.printable(e.getMessage()));
        }
    }

    private static TraceStatus stop(WireTrace trace) throws IOException, CommandException {
        try {
            return trace.stop();
        } catch (IllegalStateException e) {
            throw new CommandException(Text.printable(e.getMessage()));
        }
    }

    private static String status(Optional<TraceStatus> status) {
        return status.map(running -> "tracing since " + Text.time(running.since()) + ": " + describe(running)
                        + (running.failure() == null ? "" : "; ended by " + Text.printable(running.failure())))
                .orElse("no trace runs");
    }

    private static String describe(TraceStatus status) {
        return status.frames() + " frames, " + status.octets() + " octets, of " + status.connections()
                + " connections to " + LocalNames.shown(status.file()) + ", " + status.dropped() + " dropped";
    }
}
