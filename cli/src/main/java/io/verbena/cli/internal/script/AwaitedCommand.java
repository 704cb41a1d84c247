package io.verbena.cli.internal.script;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Text;
import io.verbena.cli.internal.script.CommandSources.Prospect;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;
import org.apache.karaf.shell.api.console.Registry;

/**
 * The function that the shell calls for an unknown command. A thread of the container registers the commands of a
 * bundle some time after the bundle has started, without an event. A script can therefore run earlier, after the boot
 * and after a refresh. The function waits as long as a bundle declares the command and the container changes, and then
 * runs the command. A command that no bundle declares fails at once. The length of a pause decides nothing, so that a
 * slow host only takes longer.
 */
final class AwaitedCommand implements Function {
    /** The time without any change in the container after which a command is given up. */
    static final long UNCHANGED_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long POLL_MILLIS = 10;

    private final Registry registry;
    private final CommandSources sources;
    private final Pauses pauses;

    /** The clock and the pauses of the wait. */
    interface Pauses {
        /** Returns the time of a monotonic clock in nanoseconds. */
        long nanoTime();

        /** Lets some time pass. */
        void pause() throws InterruptedException;
    }

    /** Creates the function. */
    AwaitedCommand(Registry registry, CommandSources sources) {
        this(registry, sources, new Pauses() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public void pause() throws InterruptedException {
                Thread.sleep(POLL_MILLIS);
            }
        });
    }

    AwaitedCommand(Registry registry, CommandSources sources, Pauses pauses) {
        this.registry = registry;
        this.sources = sources;
        this.pauses = pauses;
    }

    @Override
    public Object execute(CommandSession session, List<Object> nameAndArguments) throws Exception {
        String name = String.valueOf(nameAndArguments.get(0));
        List<Object> arguments = nameAndArguments.subList(1, nameAndArguments.size());
        long changes = sources.changes();
        long changed = pauses.nanoTime();
        while (true) {
            // The session is asked after the container. Otherwise a command could come between the two questions.
            Prospect prospect = sources.of(name);
            if (session.get(name) instanceof Function command) {
                return command.execute(session, arguments);
            }
            if (!prospect.isDeclared()) {
                throw UsageErrors.unknownCommand(registry, sources.names(), name);
            }
            if (prospect.isStopped() || pauses.nanoTime() - changed >= UNCHANGED_NANOS) {
                throw missing(name, prospect);
            }
            pauses.pause();
            if (sources.changes() != changes) {
                changes = sources.changes();
                changed = pauses.nanoTime();
            }
        }
    }

    private static CommandFailure missing(String name, Prospect prospect) {
        return new CommandFailure(
                ExitStatus.NO_CONNECTION,
                "the command " + Text.printable(name) + " is not there: "
                        + Text.printable(prospect.reason().orElse("its bundle does not register it")));
    }
}
