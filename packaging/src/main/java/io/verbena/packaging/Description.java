package io.verbena.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What all packages say of themselves.
 *
 * @param version the version of the build, like {@code 1.0.0} or {@code 1.0.0-SNAPSHOT}
 * @param time the time of all entries: {@code project.build.outputTimestamp}
 * @param libraries what the runtime needs of the system
 * @param home the address of the project's page, or the placeholder of builds that are no release
 */
record Description(String version, Instant time, Set<String> libraries, String home) {
    static final String NAME = "verbena";
    static final String SUMMARY = "NFSv4.1 over RDMA in user space: a shell, a client and a server";
    static final String MAINTAINER = "The authors of Verbena <authors@verbena.invalid>";
    static final List<String> TEXT = List.of(
            "Reads and writes NFS storage over RDMA without the kernel's NFS client, and",
            "exports local directories. Runs on RDMA devices, or in software on any",
            "network. Has a Java runtime of its own.");

    /** The version for dpkg and rpm, in the order of which a snapshot comes before its release. */
    String packageVersion() {
        return version.replace('-', '~');
    }

    /** The project's page, if the build names one. */
    Optional<String> page() {
        return Optional.of(home).filter(page -> !page.contains(".invalid"));
    }

    /** The architecture by Debian's name, which container images use, too. */
    static String debianArchitecture() {
        return switch (System.getProperty("os.arch")) {
            case "amd64", "x86_64" -> "amd64";
            case "aarch64" -> "arm64";
            default ->
                throw new IllegalStateException(
                        "packages are made on x86_64 and aarch64; this is " + System.getProperty("os.arch"));
        };
    }

    static String rpmArchitecture() {
        return debianArchitecture().equals("amd64") ? "x86_64" : "aarch64";
    }

    Path in(Path folder, String end) {
        return folder.resolve(NAME + end);
    }

    /** A script for the time of installation or removal, which both kinds of packages run. */
    static String script(String name) throws IOException {
        try (InputStream in = Description.class.getResourceAsStream(name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
