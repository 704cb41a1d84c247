package io.verbena.cli.internal.script;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;

/**
 * What the shell calls for a command that it does not know: waits a bounded time until the command is there, then runs
 * it. A bundle's commands are registered by a thread of the container, a little after the bundle has started and with
 * no event that tells, so that a script would be too early after the boot and after a refresh.
 */
final class AwaitedCommand implements Function {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long POLL_MILLIS = 10;

    @Override
    public Object execute(CommandSession session, List<Object> nameAndArguments) throws Exception {
        String name = String.valueOf(nameAndArguments.get(0));
        long deadline = System.nanoTime() + TIMEOUT_NANOS;
        while (System.nanoTime() - deadline < 0) {
            if (session.get(name) instanceof Function command) {
                return command.execute(session, nameAndArguments.subList(1, nameAndArguments.size()));
            }
            Thread.sleep(POLL_MILLIS);
        }
        throw new IllegalArgumentException("no such command: " + name);
    }
}
