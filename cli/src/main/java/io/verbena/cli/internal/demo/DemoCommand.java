package io.verbena.cli.internal.demo;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.Exports;
import io.verbena.cli.internal.Mounts;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Demonstrates the whole software on any machine. */
@Service
@Command(
        scope = "nfs",
        name = "demo",
        description = "Mounts an embedded server over software iWARP, moves files both ways and compares them",
        detailedDescription =
                """
            Exports a temporary directory on a free port of 127.0.0.1 and mounts it; puts and gets a generated file \
            of 256 MiB and a tree of 1,000 files or more, most of them the Java installation's; compares the SHA-256 \
            of every file; removes all that it made.
            Any difference is a failure.

            Example: nfs:demo""")
public final class DemoCommand extends CliCommand {
    @Reference
    private Exports exports;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        // A stopping container waits for the demonstration to clean up.
        mounts.<Void>transfer(() -> {
            new Demo(exports, mounts, DemoFiles.FULL, out).run();
            return null;
        });
    }
}
