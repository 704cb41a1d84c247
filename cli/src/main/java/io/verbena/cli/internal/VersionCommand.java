package io.verbena.cli.internal;

import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.api.console.Session;
import org.osgi.framework.FrameworkUtil;

/** Prints the versions for a bug report. */
@Service
@Command(scope = "nfs", name = "version", description = "Shows the versions of Verbena, Karaf and Java")
public final class VersionCommand implements Action {
    @Reference
    private Session session;

    @Override
    public Object execute() {
        session.getConsole()
                .printf(
                        "Verbena %s, Karaf %s, Java %s%n",
                        FrameworkUtil.getBundle(VersionCommand.class).getVersion(),
                        System.getProperty("karaf.version"),
                        Runtime.version());
        return null;
    }
}
