package io.verbena.pages;

import java.util.List;
import org.apache.karaf.shell.api.action.Action;
import org.apache.karaf.shell.api.action.Argument;
import org.apache.karaf.shell.api.action.Command;
import org.apache.karaf.shell.api.action.Completion;
import org.apache.karaf.shell.api.action.Option;
import org.apache.karaf.shell.support.completers.StringsCompleter;

/** A command with all kinds of options and arguments, and text that is special in roff and in shells. */
@Command(
        scope = "nfs",
        name = "sample",
        description = "Shows 'what' a \"command\" is",
        detailedDescription =
                """
            .First a paragraph with a back\\slash, a ~ and a caret ^; see nfs:other.
            'Second.

            Example: nfs:sample -l docs:/
                     nfs:sample '*.csv' docs:/""")
class SampleCommand implements Action {
    @Option(name = "-l", aliases = "--long", description = "Long")
    boolean isLong;

    @Option(name = "--type", description = "f: files, d's [directories]")
    @Completion(
            value = StringsCompleter.class,
            values = {"f", "d"})
    String type;

    @Argument(name = "PATH", description = "Where to look", multiValued = true)
    List<String> paths;

    @Override
    public Object execute() {
        return null;
    }

    /** A command without options. */
    @Command(scope = "nfs", name = "other", description = "Does something else")
    static final class OtherCommand implements Action {
        @Argument(name = "NAME", description = "A name", required = true)
        String name;

        @Override
        public Object execute() {
            return null;
        }
    }

    static List<CommandDoc> docs() {
        return List.of(CommandDoc.of(OtherCommand.class), CommandDoc.of(SampleCommand.class));
    }
}
