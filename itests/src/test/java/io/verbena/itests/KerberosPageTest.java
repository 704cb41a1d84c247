package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** docs/kerberos.md tells of lines that the code has, and its program compiles. KerberosPageIT runs its commands. */
final class KerberosPageTest {
    private static final Path TOP = Path.of("..");

    /** What stands in the page for parts of a line that differ. */
    private static final Pattern DIFFERS = Pattern.compile("\\.\\.\\.");

    /** The end of a line of code and the begin of the next one, within one text. */
    private static final Pattern JOINED = Pattern.compile("\"\\s*\\+\\s*\"");

    private static Page page() throws IOException {
        return Page.of("docs/kerberos.md");
    }

    /** The code of the bundles that have to do with security, a file each. */
    private static List<String> sources() throws IOException {
        List<String> sources = new ArrayList<>();
        for (String bundle : List.of("rpcsec-gss", "nfs41-client", "nfs41-server")) {
            try (Stream<Path> files = Files.walk(TOP.resolve("bundles/" + bundle + "/src/main/java"))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".java")).toList()) {
                    sources.add(JOINED.matcher(Files.readString(file)).replaceAll(""));
                }
            }
        }
        return sources;
    }

    @Test
    void shouldQuoteLinesThatTheCodeHas() throws Exception {
        List<String> sources = sources();
        List<String> lines = page().section("What the lines say")
                .lines()
                .filter(line -> line.startsWith("| `"))
                .map(line -> line.substring("| `".length(), line.indexOf("` |")))
                .toList();

        assertThat(lines).hasSizeGreaterThan(15);
        for (String line : lines) {
            List<String> parts = Arrays.stream(DIFFERS.split(line))
                    .filter(part -> part.length() > 2)
                    .toList();
            assertThat(parts).as(line).isNotEmpty();
            assertThat(sources).as(line).anyMatch(source -> parts.stream().allMatch(source::contains));
        }
    }

    @Test
    void shouldHaveTenCommands() throws Exception {
        assertThat(page().blocks("Ten commands")).hasSize(10);
    }

    @Test
    void shouldHaveAProgramThatCompiles(@TempDir Path folder) throws Exception {
        String program =
                """
                import java.net.URI;
                import java.nio.file.*;
                import java.util.Map;
                import javax.security.auth.login.LoginContext;

                class Program {
                    void run() throws Exception {
                %s
                    }
                }
                """
                        .formatted(page().block("From Java", 0));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        SimpleJavaFileObject file =
                new SimpleJavaFileObject(URI.create("string:///Program.java"), javax.tools.JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return program;
                    }
                };

        assertThat(compiler.getTask(
                                null, null, null, List.of("-proc:none", "-d", folder.toString()), null, List.of(file))
                        .call())
                .isTrue();
    }

    @Test
    void shouldBeLinkedFromOtherPages() throws Exception {
        assertThat(Files.readString(TOP.resolve("README.md"))).contains("(docs/kerberos.md)");
        for (String other : List.of("user-guide", "configuration")) {
            assertThat(Files.readString(TOP.resolve("docs/" + other + ".md"))).contains("(kerberos.md)");
        }
    }
}
