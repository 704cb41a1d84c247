package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Lines have at most 120 columns: Java sources with their comments, the scripts of the build and the launchers, and
 * pages, except for tables and blocks of code in pages. The formatter does not wrap comments and strings.
 */
final class LineLengthTest {
    private static final int LONGEST = 120;
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** Generated pages, and records that are not changed any more. */
    private static final Set<String> LEFT_OUT =
            Set.of("docs/commands.md", "docs/conformance/report.md", "docs/decisions");

    @Test
    void shouldHaveNoLineLongerThanTheLimit() throws IOException {
        List<String> tooLong = new ArrayList<>();
        Files.walkFileTree(ROOT, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                String name = String.valueOf(directory.getFileName());
                boolean isSkipped = name.equals("target") || name.equals(".git") || isLeftOut(directory);
                return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (attributes.isRegularFile() && !isLeftOut(file)) {
                    addTooLong(file, tooLong);
                }
                return FileVisitResult.CONTINUE;
            }
        });
        assertThat(tooLong).isEmpty();
    }

    private static boolean isLeftOut(Path path) {
        return LEFT_OUT.contains(relative(path));
    }

    private static String relative(Path path) {
        return ROOT.relativize(path).toString().replace('\\', '/');
    }

    private static void addTooLong(Path file, List<String> tooLong) throws IOException {
        String name = relative(file);
        boolean isPage = name.endsWith(".md");
        boolean isScript = name.equals("verbena") || name.endsWith("/bin/verbena") || name.startsWith(".ci/");
        if (!isPage && !isScript && !name.endsWith(".java")) {
            return;
        }
        boolean isCode = false;
        int number = 0;
        for (String line : Files.readAllLines(file)) {
            number++;
            if (isPage && line.startsWith("```")) {
                isCode = !isCode;
            }
            boolean isFree = isPage && (isCode || line.startsWith("|"));
            if (!isFree && line.codePointCount(0, line.length()) > LONGEST) {
                tooLong.add(name + ":" + number);
            }
        }
    }
}
