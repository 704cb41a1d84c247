package io.verbena.cli.internal.nfs;

import io.verbena.cli.CliCommand;
import io.verbena.cli.internal.Mounts;
import io.verbena.cli.internal.complete.AnyPathCompleter;
import io.verbena.cli.internal.transfer.Contents;
import io.verbena.cli.internal.transfer.Location;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Prints digests. */
@Service
@Command(
        scope = "nfs",
        name = "sha256",
        description = "Prints the SHA-256 of files, remote or local",
        detailedDescription =
                """
            Prints what sha256sum(1) does: the digest, two spaces, the path. NAME:/path is remote, everything else local.

            Example: nfs:sha256 docs:/big.iso /srv/docs/big.iso""")
public final class Sha256Command extends CliCommand {
    @Argument(name = "PATH", description = "NAME:/path or a local path", required = true, multiValued = true)
    @Completion(AnyPathCompleter.class)
    private List<String> paths;

    @Reference
    private Mounts mounts;

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        Contents contents = new Contents();
        for (String path : paths) {
            Location file = Location.parse(path, mounts);
            out.printf("%s  %s%n", contents.sha256(file), file);
        }
    }
}
