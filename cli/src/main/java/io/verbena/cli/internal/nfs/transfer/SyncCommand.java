package io.verbena.cli.internal.nfs.transfer;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.internal.Quantities;
import io.verbena.cli.internal.complete.AnyPathCompleter;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopyOptions.Flag;
import io.verbena.nfs.transfer.Location;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.api.action.lifecycle.Service;
import org.apache.karaf.shell.support.CommandException;

/** Makes a directory tree like another one. */
@Service
@Command(
        scope = "nfs",
        name = "sync",
        description = "Makes a directory like another one, at least one of them on a mount",
        detailedDescription =
                """
            Copies what is not there or differs in size or time of modification, or with --checksum in content. TO \
            becomes what FROM is, and is made where it is not there: nothing is made below it for FROM's name.
            --delete removes what FROM does not have, last of all and only if all of FROM could be read and copied; \
            what --exclude or --include leaves out stays. A file in the place of a directory of FROM, or a directory \
            in the place of a file, goes when what replaces it is ready, and only if all of FROM could be read. \
            Without --delete nothing is removed, and a directory is not replaced by a file.
            --max-delete counts before anything is changed, also what is replaced by an object of another type. \
            --backup-dir keeps what is replaced or removed, in the place that it had below TO, and replaces no backup: \
            a second one is called NAME.~1~. The directory may not be in FROM or TO.
            --dry-run prints what would be done, a line each: make, copy or remove, and what.
            For the other options see nfs:put.

            Example: nfs:sync /srv/www docs:/www
                     nfs:sync --delete --dry-run docs:/www backup:/www
                     nfs:sync --delete --max-delete 100 --backup-dir docs:/old /srv/www docs:/www""")
public final class SyncCommand extends TransferCommand {
    @Option(name = "--delete", description = "Removes what FROM does not have")
    private boolean delete;

    @Option(name = "--max-delete", description = "Changes nothing if --delete would remove more objects than this")
    private String maxDelete = "";

    @Option(name = "--checksum", aliases = "-c", description = "Compares content by SHA-256 where the size is the same")
    private boolean checksum;

    @Argument(name = "FROM", description = "NAME:/path or a local path of a directory", required = true)
    @Completion(AnyPathCompleter.class)
    private String from;

    @Argument(index = 1, name = "TO", description = "Likewise, of the directory to make like it", required = true)
    @Completion(AnyPathCompleter.class)
    private String to;

    public SyncCommand() {
        super("sync", "synchronised");
    }

    @Override
    protected void run(PrintStream out) throws IOException, InterruptedException, CommandException {
        Location source = any(from);
        Location target = any(to);
        if (!source.isRemote() && !target.isRemote()) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "neither " + source + " nor " + target + " is on a mount: NAME:/path is");
        }
        if (!maxDelete.isEmpty() && !delete) {
            throw new CommandFailure(
                    ExitStatus.USAGE, "--max-delete limits what --delete removes: without --delete nothing is removed");
        }
        CopyOptions options =
                options(Flag.RECURSIVE, Flag.SYNC).with(Flag.DELETE, delete).with(Flag.CHECKSUM, checksum);
        if (!maxDelete.isEmpty()) {
            options = options.withMaxRemovals(Quantities.number("--max-delete", maxDelete));
        }
        List<String> words = new ArrayList<>(OptionWords.of(this, "", SyncCommand.class));
        words.addAll(List.of(from, to));
        transfer(List.of(source), target, options, words, out);
    }
}
