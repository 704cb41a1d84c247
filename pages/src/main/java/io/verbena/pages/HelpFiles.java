package io.verbena.pages;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Writes the man pages and the completions into a distribution. The build runs it with the jars of the distribution on
 * the class path. Arguments: the distribution's folder, the time of the build in ISO 8601, the version.
 */
public final class HelpFiles {
    private HelpFiles() {}

    /**
     * @param arguments as described above
     * @throws IOException if the launcher cannot be read or a file cannot be written
     */
    public static void main(String[] arguments) throws IOException {
        Path home = Path.of(arguments[0]);
        write(
                LauncherHelp.of(Files.readString(home.resolve("bin/verbena"))),
                CommandClasses.onClassPath(),
                home.resolve("share"),
                arguments[1].substring(0, "2026-01-31".length()),
                arguments[2]);
    }

    static void write(LauncherHelp help, List<CommandDoc> commands, Path share, String date, String version)
            throws IOException {
        Path pages = Files.createDirectories(share.resolve("man/man1"));
        for (Map.Entry<String, String> page :
                new ManPages(help, commands, date, version).all().entrySet()) {
            Files.writeString(pages.resolve(page.getKey()), page.getValue());
        }
        put(share.resolve("bash-completion/completions/verbena"), BashCompletion.of(help, commands));
        put(share.resolve("zsh/site-functions/_verbena"), ZshCompletion.of(help, commands));
        put(share.resolve("fish/vendor_completions.d/verbena.fish"), FishCompletion.of(help, commands));
    }

    private static void put(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }
}
