package io.verbena.cli.internal.nfs.serve;

import io.verbena.cli.Invocation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service manager of the system, where it has started this process and wants to be told of its state: sd_notify(3).
 * Java has no datagrams over Unix domain sockets, so the program {@code systemd-notify} sends them. The unit therefore
 * has {@code NotifyAccess=all}.
 */
final class ServiceManager {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceManager.class);
    private static final String PROGRAM = "systemd-notify";
    private static final String SOCKET = "NOTIFY_SOCKET";
    private static final int TIMEOUT_SECONDS = 10;

    private final boolean isThere;

    ServiceManager(Invocation invocation) {
        isThere = invocation.environment(SOCKET).isPresent();
    }

    /**
     * Tells the manager a state. A failure is logged, since exports serve without a manager too.
     *
     * @param assignments the variables of sd_notify(3), such as {@code READY=1}
     */
    void tell(String... assignments) throws InterruptedException {
        if (!isThere) {
            return;
        }
        List<String> command = new ArrayList<>(List.of(PROGRAM));
        command.addAll(List.of(assignments));
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                LOG.warn("{} does not end in {} s", PROGRAM, TIMEOUT_SECONDS);
            } else if (process.exitValue() != 0) {
                LOG.warn("{} ended with status {}", PROGRAM, process.exitValue());
            }
        } catch (IOException e) {
            LOG.warn("the service manager is not told {}: {} cannot be run", List.of(assignments), PROGRAM, e);
        }
    }
}
