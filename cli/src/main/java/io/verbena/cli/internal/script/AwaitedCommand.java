package io.verbena.cli.internal.script;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.felix.service.command.CommandSession;
import org.apache.felix.service.command.Function;
import org.apache.karaf.shell.api.console.Registry;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;

/**
 * The function that the shell calls for an unknown command. The function waits for a limited time until the command is
 * registered, and then runs the command. A thread of the container registers the commands of a bundle shortly after the
 * bundle has started, without an event. A script could otherwise run too early after the boot or after a refresh. The
 * wait is short if each bundle with commands has registered at least one, and no more are being registered.
 */
final class AwaitedCommand implements Function {
    private static final long TIMEOUT_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** The longest pause between the registrations of the commands of one bundle. */
    private static final long SETTLED_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long POLL_MILLIS = 10;
    private static final String COMMANDS_HEADER = "Karaf-Commands";

    private final Registry registry;
    private final BundleContext context;

    /**
     * Creates the function.
     *
     * @param context the context of a bundle that stops only with the container
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
            // A command in the registry is soon available in the session.
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
