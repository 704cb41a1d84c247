package io.verbena.cli;

import java.io.IOException;
import java.io.PrintStream;
import org.apache.karaf.shell.api.action.Option;
import org.osgi.annotation.versioning.ConsumerType;

/** The base class of commands that print a list. It provides their common options. */
@ConsumerType
public abstract class ListingCommand extends CliCommand {
    @Option(name = "--json", description = "Prints a JSON array of objects, sizes in octets and times in UTC")
    private boolean json;

    @Option(name = "--no-header", description = "For scripts: without headings, and a line each")
    private boolean noHeader;

    @Option(name = "-h", aliases = "--human-readable", description = "Sizes like 1.5K, 23M, 2.0G, by powers of 1024")
    private boolean humanSizes;

    @Option(name = "--wide", description = "All columns and whole texts, in tables wider than the terminal too")
    private boolean isWide;

    /** Starts to print a list according to the options, and to the width of the terminal. */
    protected final <T> Listing.Rows<T> begin(Listing<T> listing, PrintStream out) {
        return listing.begin(out, json, noHeader, humanSizes, new Screen(isWide ? 0 : terminalColumns(), this::note));
    }

    /** Prints a list whose rows are all present. */
    protected final <T> void print(Listing<T> listing, Iterable<? extends T> rows, PrintStream out) throws IOException {
        Listing.Rows<T> printed = begin(listing, out);
        for (T row : rows) {
            printed.add(row);
        }
        printed.end();
    }

    /** Returns whether JSON is requested. The command must then print nothing else. */
    protected final boolean isJson() {
        return json;
    }
}
