package io.verbena.pages;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The man pages: verbena(1) of the launcher's help, and a page for each command, as verbena-nfs-mount(1). */
final class ManPages {
    private static final Pattern COMMAND = Pattern.compile("\\b(?:nfs|rdma|rpcrdma):[a-z][a-z0-9-]*");

    private final LauncherHelp help;
    private final List<CommandDoc> commands;
    private final String date;
    private final String version;

    ManPages(LauncherHelp help, List<CommandDoc> commands, String date, String version) {
        this.help = help;
        this.commands = commands;
        this.date = date;
        this.version = version;
    }

    /** The pages by the names of their files. */
    Map<String, String> all() {
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("verbena.1", program());
        for (CommandDoc command : commands) {
            pages.put(page(command.name()) + ".1", command(command));
        }
        return pages;
    }

    /** The name of the page of a command. */
    static String page(String command) {
        return "verbena-" + command.replace(':', '-');
    }

    private String program() {
        Roff page = new Roff("verbena", date, version);
        page.section("NAME").name("verbena", "NFSv4.1 over RDMA: a shell, scripts of it, and exports");
        page.section("SYNOPSIS")
                .verbatim(help.uses().stream()
                        .map(LauncherHelp.Entry::key)
                        .distinct()
                        .toList());
        page.section("DESCRIPTION");
        help.uses().stream().filter(use -> !use.text().isEmpty()).forEach(use -> page.entry(use.key(), use.text()));
        help.paragraphs().forEach(page::paragraph);
        page.section("OPTIONS");
        help.section("Options").forEach(option -> page.entry(option.key(), option.text()));
        page.section("COMMANDS");
        page.paragraph("Each has a page of its own: that of nfs:mount is verbena-nfs-mount(1).");
        commands.forEach(command -> page.entry(command.name(), command.description() + "."));
        page.section("EXIT STATUS");
        help.section("Exit status").forEach(status -> page.entry(status.key(), status.text()));
        page.section("ENVIRONMENT");
        help.section("Environment").forEach(variable -> page.entry(variable.key(), variable.text()));
        page.section("FILES");
        page.entry(
                "~/.config/verbena/config",
                "Aliases of servers, as ssh has them; below $XDG_CONFIG_HOME if it is set.");
        page.entry("~/.verbena_history", "The lines that were typed at the prompt.");
        page.entry("/etc/fstab", "Lines of type nfs and nfs4, which nfs:mount takes by their directory.");
        page.entry("DIR/etc, DIR/data", "Configuration and data of --state DIR; DIR/data/log/karaf.log is the log.");
        page.section("EXAMPLES");
        page.verbatim(List.of(
                "verbena demo",
                "verbena doctor server",
                "verbena -c 'nfs:mount -o port=20049 server:/export docs; nfs:ls -l docs:/'",
                "verbena serve --port 20049 /srv/docs"));
        seeAlso(page, List.of("verbena-nfs-mount", "verbena-nfs-export", "nfs", "fstab"));
        return page.toString();
    }

    private String command(CommandDoc command) {
        Roff page = new Roff(page(command.name()), date, version);
        page.section("NAME").name(page(command.name()), command.description());
        page.section("SYNOPSIS").verbatim(List.of("verbena -c '" + command.usage() + "'"));
        page.section("DESCRIPTION");
        page.text("The command " + command.name() + " of the shell and of scripts of verbena(1): "
                + decapitalized(command.description()) + ".");
        command.paragraphs().forEach(page::paragraph);
        if (!command.options().isEmpty()) {
            page.section("OPTIONS");
        }
        for (CommandDoc.OptionDoc option : command.options()) {
            String names = String.join(", ", option.names());
            if (option.isFlag()) {
                page.entry(names, sentence(option.description()));
            } else {
                String values = String.join("|", option.values());
                page.entry(names, values.isEmpty() ? "value" : values, sentence(option.description()));
            }
        }
        if (!command.arguments().isEmpty()) {
            page.section("ARGUMENTS");
        }
        command.arguments().forEach(argument -> page.entry(argument.name(), sentence(argument.description())));
        page.section("EXIT STATUS").text("That of a script which ends with the command: see verbena(1).");
        if (!command.examples().isEmpty()) {
            page.section("EXAMPLES").verbatim(command.examples());
        }
        List<String> others = new ArrayList<>(List.of("verbena"));
        others.addAll(related(command));
        seeAlso(page, others);
        return page.toString();
    }

    /** The pages of the commands that the text of another one names. */
    private Set<String> related(CommandDoc command) {
        String text = command.detail() + " "
                + command.options().stream()
                        .map(CommandDoc.OptionDoc::description)
                        .collect(Collectors.joining(" "));
        return COMMAND.matcher(text)
                .results()
                .map(MatchResult::group)
                .filter(name -> !name.equals(command.name()))
                .filter(name -> commands.stream().anyMatch(each -> each.name().equals(name)))
                .map(ManPages::page)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void seeAlso(Roff page, List<String> pages) {
        page.section("SEE ALSO")
                .text(pages.stream()
                        .map(each -> each + (each.equals("nfs") || each.equals("fstab") ? "(5)" : "(1)"))
                        .collect(Collectors.joining(", ")));
    }

    private static String sentence(String text) {
        return text.isEmpty() || text.endsWith(".") ? text : text + ".";
    }

    private static String decapitalized(String text) {
        return text.substring(0, 1).toLowerCase(Locale.ROOT) + text.substring(1);
    }
}
