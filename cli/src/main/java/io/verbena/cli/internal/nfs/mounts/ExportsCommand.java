package io.verbena.cli.internal.nfs.mounts;

import io.verbena.cli.Listing;
import io.verbena.cli.ListingCommand;
import io.verbena.cli.Text;
import io.verbena.cli.internal.Exports;
import io.verbena.nfs.Export;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.lifecycle.Reference;
import org.apache.karaf.shell.api.action.lifecycle.Service;

/** Lists exports. */
@Service
@Command(
        scope = "nfs",
        name = "exports",
        description = "Lists the exports of this host",
        detailedDescription = """
            Example: nfs:exports""")
public final class ExportsCommand extends ListingCommand {
    @Reference
    private Exports exports;

    @Override
    protected void run(PrintStream out) throws IOException {
        Listing<Export> listing = new Listing<Export>(Listing.Layout.TABLE, "nothing is exported")
                .text("Name", Export::name)
                .text("Directory", export -> LocalNames.shown(export.directory()))
                .text("Address", ExportsCommand::address)
                .text("Access", ExportsCommand::access)
                .shown("State", 0, export -> state(export) + (export.failure().isEmpty() ? "" : ": " + failure(export)))
                .shown("Provider", Text.PROVIDER_WIDTH, export -> Text.provider(export.settings()))
                .member("state", ExportsCommand::state)
                .member("failure", ExportsCommand::failure)
                .member("settings", Export::settings)
                .pairs("Counters", Export::counters);
        print(listing, exports.all(), out);
    }

    private static String address(Export export) {
        return export.localAddress().map(ExportCommand::format).orElse(null);
    }

    private static String access(Export export) {
        return (export.isReadOnly() ? "ro" : "rw") + (export.isSync() ? "" : ",async");
    }

    private static String state(Export export) {
        if (export.failure().isPresent()) {
            return "failed";
        }
        return export.localAddress().isPresent() ? "listening" : "starting";
    }

    private static String failure(Export export) {
        return export.failure()
                .map(failure -> String.valueOf(failure.getMessage()))
                .orElse(null);
    }
}
