package io.verbena.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Makes all packages; the build runs it. */
public final class Packages {
    private static final String HOME = "/usr/lib/verbena";

    private Packages() {}

    /**
     * Arguments: the distribution's folder, a folder with files by their paths from the root of a system, the folder
     * for the packages, the version, the time of all entries as ISO 8601 writes it, the folder with the license, the
     * project's page, and of {@code deb}, {@code rpm} and {@code image} what is made; without those, all are.
     */
    public static void main(String[] arguments) throws IOException {
        Path distribution = Path.of(arguments[0]);
        Path files = Path.of(arguments[1]);
        Path folder = Files.createDirectories(Path.of(arguments[2]));
        Path runtime = folder.resolveSibling("jre");
        JavaRuntime.make(runtime);
        Set<String> libraries = JavaRuntime.libraries(runtime);
        Set<String> kinds = arguments.length > 7
                ? Set.of(Arrays.copyOfRange(arguments, 7, arguments.length))
                : Set.of("deb", "rpm", "image");
        Description description = new Description(arguments[3], Instant.parse(arguments[4]), libraries, arguments[6]);

        FileTree installed = tree(distribution, files, runtime);
        installed.addText(
                "/usr/share/doc/verbena/copyright",
                Files.readString(Path.of(arguments[5], "NOTICE")) + "\n"
                        + Files.readString(Path.of(arguments[5], "LICENSE")));
        FileTree image = installed.copy();
        installed.addText(HOME + "/system.cdx.json", SystemBom.of(runtime, description, List.of()));
        List<Path> made = new ArrayList<>();
        if (kinds.contains("deb")) {
            made.add(DebPackage.write(installed, description, folder));
        }
        if (kinds.contains("rpm")) {
            made.add(RpmPackage.write(installed, description, folder));
        }
        if (kinds.contains("image") && BaseFiles.arePresent()) {
            BaseFiles.check(libraries);
            List<String> packages = BaseFiles.add(image);
            image.addText(HOME + "/system.cdx.json", SystemBom.of(runtime, description, packages));
            image.addDirectory("/var/lib/verbena", 0700);
            made.add(ContainerImage.write(image, description, folder));
        }
        List<String> sums = new ArrayList<>();
        for (Path each : made) {
            sums.add(ContainerImage.digest(each) + "  " + each.getFileName());
        }
        Files.write(folder.resolve("SHA256SUMS"), sums);
    }

    /** The distribution, what it has in share/ for the system, and a runtime where the launcher looks for it. */
    static FileTree tree(Path distribution, Path files, Path runtime) throws IOException {
        FileTree tree = new FileTree();
        // not Karaf's own scripts, which would write into the folder
        tree.addFile(HOME + "/bin/verbena", distribution.resolve("bin/verbena"));
        for (String part : List.of("etc", "lib", "system")) {
            tree.addAll(HOME + "/" + part, distribution.resolve(part));
        }
        tree.addFile(HOME + "/bom.cdx.json", distribution.resolve("bom.cdx.json"));
        tree.addAll("/usr/share", distribution.resolve("share"));
        tree.addAll(HOME + "/jre", runtime);
        tree.addLink("/usr/bin/verbena", "../lib/verbena/bin/verbena");
        tree.addDirectory("/etc/verbena", FileTree.EXECUTABLE);
        tree.addAll("", files);
        return tree;
    }
}
