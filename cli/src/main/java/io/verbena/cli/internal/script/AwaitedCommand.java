package io.verbena.cli.internal.script;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;
import org.apache.karaf.shell.api.console.Registry;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/**
 * What the shell calls for a command that it does not know: waits a bounded time until the command is there, then runs
 * it. A bundle's commands are registered by a thread of the container, a little after the bundle has started and with
 * no event that tells, so that a script would be too early after the boot and after a refresh. Once each bundle that has
 * commands has some of them there, and no more come, it does not wait for long.
 */
final class AwaitedCommand implements Function {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** What the commands of one bundle need to come, one after the other. */
    private static final long SETTLED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long POLL_MILLIS = 10;
    private static final String COMMANDS_HEADER = "Karaf-Commands";

    private final Registry registry;
    private final BundleContext context;

    /**
     * @param context of a bundle that goes with the container only
     */
    AwaitedCommand(Registry registry, BundleContext context) {
        this.registry = registry;
        this.context = context;
    }

    @Override
    public Object execute(CommandSession session, List<Object> nameAndArguments) throws Exception {
        String name = String.valueOf(nameAndArguments.get(0));
        long begin = System.nanoTime();
        long settled = begin;
        int known = 0;
        for (long now = begin; now - begin < TIMEOUT_NANOS && now - settled < SETTLED_NANOS; now = System.nanoTime()) {
            if (session.get(name) instanceof Function command) {
                return command.execute(session, nameAndArguments.subList(1, nameAndArguments.size()));
            }
            List<String> there = Knowledge.names(registry);
            // what the registry has, the session has soon
            if (there.size() != known || there.contains(name) || !allThere()) {
                settled = now;
            }
            known = there.size();
            Thread.sleep(POLL_MILLIS);
        }
        throw UsageErrors.unknownCommand(registry, name);
    }

    private boolean allThere() {
        for (Bundle bundle : context.getBundles()) {
            if (bundle.getHeaders().get(COMMANDS_HEADER) != null && !Knowledge.hasCommandOf(registry, bundle)) {
                return false;
            }
        }
        return true;
    }
}
