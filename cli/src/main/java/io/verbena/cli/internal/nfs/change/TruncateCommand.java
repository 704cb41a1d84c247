package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.nfs.command.MakingCommand;
import io.verbena.nfs.AttributeChanges;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Sets the sizes of files. */
@Service
@Command(
        scope = "nfs",
        name = "truncate",
        description = "Makes files of a mount shorter or longer",
        detailedDescription =
                """
            What is behind the new end is lost; what is added is a hole. A file that is not there is made.

            Example: nfs:truncate -s 0 docs:/app.log
                     nfs:truncate -s 10G docs:/disk.img""")
public final class TruncateCommand extends MakingCommand {
    @Option(name = "-s", aliases = "--size", description = "To that size: 512, 64K, 1M, 10G", required = true)
    private String size;

    @Override
    public AttributeChanges changes() {
        return AttributeChanges.NONE.withSize(Quantities.octets("-s", size));
    }
}
