package io.verbena.cli.internal.nfs.content;

import io.verbena.cli.internal.MountedPath;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Prints the first part of files. */
@Service
@Command(
        scope = "nfs",
        name = "head",
        description = "Prints the first lines of files of a mount",
        detailedDescription =
                """
            Ten lines, or what -n or -c says; the octets go to the output as they are. No more is read than that takes.

            Example: nfs:head -n 3 docs:/a.csv
                     nfs:head -c 512 docs:/disk.img | hexdump""")
public final class HeadCommand extends ExcerptCommand {
    @Override
    void print(MountedPath file, ContentReader reader, Amount amount, PrintStream out) throws IOException {
        Excerpt excerpt = new Excerpt(reader, failing(out));
        if (amount.isLines()) {
            excerpt.printLines(amount.count());
        } else {
            excerpt.print(0, amount.count());
        }
    }
}
