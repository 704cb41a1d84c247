package io.verbena.cli.internal.nfs.change;

import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.nfs.command.MakingCommand;
import io.verbena.nfs.AttributeChanges;
import java.time.Instant;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Sets the times of files, and creates missing files. */
@Service
@Command(
        scope = "nfs",
        name = "touch",
        description = "Sets files' times to now, and makes those that are not there",
        detailedDescription =
                """
            Both of the last access and of modification; nfs:setattr sets them apart.

            Example: nfs:touch docs:/done
                     nfs:touch -c -d 2026-01-31T12:00:00Z 'docs:/*.csv'""")
public final class TouchCommand extends MakingCommand {
    @Option(name = "-d", aliases = "--date", description = "That time: 2026-01-31T12:00:00Z, 2026-01-31, 3d ago as 3d")
    private String date = "now";

    @Override
    public AttributeChanges changes() {
        Instant time = Quantities.time("-d", date, Instant.now());
        return AttributeChanges.NONE.withTimes(time, time);
    }
}
