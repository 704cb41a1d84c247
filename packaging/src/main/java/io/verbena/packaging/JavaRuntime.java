package io.verbena.packaging;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** A Java runtime with the modules that the distribution needs, made of the JDK that runs the build. */
final class JavaRuntime {
    /**
     * Karaf and its log use java.beans of java.desktop. The tools of jdk.jcmd and jdk.jfr are for those who look into a
     * run.
     */
    private static final List<String> MODULES = List.of(
            "java.base",
            "java.compiler",
            "java.desktop",
            "java.instrument",
            "java.logging",
            "java.management",
            "java.management.rmi",
            "java.naming",
            "java.prefs",
            "java.rmi",
            "java.security.jgss",
            "java.security.sasl",
            "java.sql",
            "java.xml",
            "jdk.charsets",
            "jdk.crypto.ec",
            "jdk.jcmd",
            "jdk.jfr",
            "jdk.management",
            "jdk.management.agent",
            "jdk.net",
            "jdk.security.auth",
            "jdk.unsupported",
            "jdk.zipfs");

    /** Native code for windows, sound and pictures, which would need libraries that servers do not have. */
    private static final List<String> LEFT_OUT = List.of(
            "awt*", "fontmanager", "freetype", "javajpeg", "jawt", "jsound", "lcms", "mlib_image", "splashscreen");

    private static final Pattern GLIBC = Pattern.compile("GLIBC_2\\.([0-9]+)");

    private JavaRuntime() {}

    /** Makes the runtime in a folder that takes the place of an earlier one. */
    static void make(Path folder) throws IOException {
        delete(folder);
        ToolProvider jlink = ToolProvider.findFirst("jlink")
                .orElseThrow(() -> new IOException("there is no jlink in '" + System.getProperty("java.home")
                        + "': packages are made by a whole JDK, 17 to 23, with its folder jmods"));
        String excluded = String.join(
                ",", LEFT_OUT.stream().map(name -> "**/lib" + name + ".so").toList());
        int status = jlink.run(
                System.out,
                System.err,
                "--add-modules",
                String.join(",", MODULES),
                "--no-header-files",
                "--no-man-pages",
                "--exclude-files",
                excluded,
                "--output",
                folder.toString());
        if (status != 0) {
            throw new IOException("jlink has failed with status " + status);
        }
    }

    /** Returns the value of a key of the file {@code release}. */
    static String release(Path folder, String key) throws IOException {
        return Files.readAllLines(folder.resolve("release")).stream()
                .filter(line -> line.startsWith(key + "=\""))
                .map(line -> line.substring(key.length() + 2, line.length() - 1))
                .findFirst()
                .orElse("unknown");
    }

    /** Returns the shared libraries of the system that the native code names, and "GLIBC_2.N" for the highest N. */
    static Set<String> libraries(Path folder) throws IOException {
        Set<String> found = new TreeSet<>();
        int glibc = 0;
        List<Path> files;
        try (Stream<Path> walked = Files.walk(folder)) {
            files = walked.filter(file -> file.toString().endsWith(".so") || file.startsWith(folder.resolve("bin")))
                    .filter(Files::isRegularFile)
                    .toList();
        }
        for (Path file : files) {
            String octets = Files.readString(file, StandardCharsets.ISO_8859_1);
            for (String library : List.of("libz.so.1", "libstdc++.so.6", "libgcc_s.so.1")) {
                if (octets.contains("\0" + library + "\0")) {
                    found.add(library);
                }
            }
            Matcher versions = GLIBC.matcher(octets);
            while (versions.find()) {
                glibc = Math.max(glibc, Integer.parseInt(versions.group(1)));
            }
        }
        found.add("GLIBC_2." + glibc);
        return found;
    }

    private static void delete(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> walked = Files.walk(folder)) {
                for (Path each : walked.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(each);
                }
            }
        }
    }
}
