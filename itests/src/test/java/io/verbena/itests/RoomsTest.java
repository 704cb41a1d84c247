package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The rooms of the bundles: small packages that say what they are for, with arrows that point down. */
final class RoomsTest {
    /** What stands in the bundle's internal package itself. */
    private static final String BASE = ".";

    /** The rooms of each bundle, from low to high; rooms in one string stand side by side. A room uses lower ones. */
    private static final Map<String, List<String>> ROOMS = Map.of(
            "io.verbena.nfs41.client.internal",
            List.of(
                    "util figures callback identity",
                    "compound security",
                    "link",
                    "session",
                    "state",
                    "names write",
                    "file",
                    "mount"),
            "io.verbena.rpcrdma.dispatcher.internal",
            List.of("base", "memory services", "connection", "requester responder", "endpoint", BASE),
            "io.verbena.nfs41.server.internal",
            List.of(
                    "access async budget util",
                    "attribute callback security",
                    "session vfs",
                    "file state",
                    "ops",
                    BASE),
            "io.verbena.nfs.nio.internal",
            List.of("mount", "path", "attribute directory file", "channel", BASE),
            "io.verbena.nfs.transfer.internal",
            List.of("failure", "tree", "local remote block plan", "file", "engine"),
            "io.verbena.hadoop.internal",
            List.of("settings", "mount", "tree", "stream", BASE),
            "io.verbena.fuse.internal",
            List.of("kernel", "mount node", "file", "ops", "session", BASE),
            "io.verbena.verbs.iwarp.internal",
            List.of(BASE, "memory wire", "settings", "tcp", "stream", "connection", "provider"),
            "io.verbena.verbs.natives.internal",
            List.of(BASE + " struct", "library settings", "device", "memory", "queue", "connection", "provider"),
            "io.verbena.cli.internal",
            List.of(
                    BASE,
                    "hosts",
                    "bench complete script",
                    "nfs.command nfs.transfer resident",
                    "demo nfs.change nfs.content nfs.listing nfs.mounts nfs.serve"));

    private static final int MOST_CLASSES = 30;

    /** A package with more classes gives the reason behind these words. */
    private static final String REASON = "more than " + MOST_CLASSES + " classes";

    private static final String DESCRIPTION = "package-info.java";

    /** Each package of the bundles, the shell and the class path, with its files. */
    private static Map<Path, Long> packages() throws IOException {
        Map<Path, Long> packages = new TreeMap<>();
        Path project = Path.of("..").toAbsolutePath().normalize();
        try (Stream<Path> files = Files.walk(project)) {
            packages.putAll(files.filter(RoomsTest::isShipped)
                    .collect(Collectors.groupingBy(Path::getParent, Collectors.counting())));
        }
        return packages;
    }

    private static boolean isShipped(Path file) {
        String path = file.toString();
        return path.endsWith(".java")
                && path.contains("/src/main/java/")
                && !path.endsWith(DESCRIPTION)
                && path.matches(".*/(bundles/[^/]+|cli|cli-rdma|standalone|hadoop)/src/main/java/.*");
    }

    /** The room of a package and its level, or null for a package of no bundle with rooms. */
    private record Room(String bundle, String name, int level) {
        static Room of(String packageName) {
            for (Map.Entry<String, List<String>> bundle : ROOMS.entrySet()) {
                if ((packageName + ".").startsWith(bundle.getKey() + ".")) {
                    boolean isBase = packageName.equals(bundle.getKey());
                    String name = isBase
                            ? BASE
                            : packageName.substring(bundle.getKey().length() + 1);
                    return new Room(bundle.getKey(), name, level(bundle.getValue(), name));
                }
            }
            return null;
        }

        /** Higher ones have higher numbers; -1 for a room that nobody has put into the order. */
        private static int level(List<String> levels, String name) {
            for (int i = 0; i < levels.size(); i++) {
                if (List.of(levels.get(i).split(" ", -1)).contains(name)) {
                    return i;
                }
            }
            return -1;
        }

        boolean mayUse(Room used) {
            boolean isElsewhere =
                    used == null || !used.bundle().equals(bundle) || used.name().equals(name);
            return level >= 0 && (isElsewhere || (used.level() >= 0 && used.level() < level));
        }
    }

    @Test
    void shouldPointDownBetweenRooms() {
        JavaClasses all = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .withImportOption(location -> !location.contains("-tests.jar"))
                .importPackages(ROOMS.keySet());
        Set<String> upward = new TreeSet<>();
        Set<String> seen = new HashSet<>();
        for (JavaClass user : all) {
            Room from = Room.of(user.getPackageName());
            seen.add(from.bundle());
            for (Dependency dependency : user.getDirectDependenciesFromSelf()) {
                if (!from.mayUse(Room.of(dependency.getTargetClass().getPackageName()))) {
                    upward.add(dependency.getDescription());
                }
            }
        }
        assertThat(upward).isEmpty();
        assertThat(seen).isEqualTo(ROOMS.keySet());
    }

    @Test
    void shouldDescribeEachPackage() throws IOException {
        assertThat(packages().keySet()).isNotEmpty().allSatisfy(folder -> assertThat(folder.resolve(DESCRIPTION))
                .exists());
    }

    @Test
    void shouldHaveFewClassesInAPackage() throws IOException {
        assertThat(packages()).isNotEmpty().allSatisfy((folder, classes) -> {
            if (classes > MOST_CLASSES) {
                assertThat(folder.resolve(DESCRIPTION)).content().contains(REASON);
            }
        });
    }
}
