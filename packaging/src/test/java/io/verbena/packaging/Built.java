package io.verbena.packaging;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorInputStream;

/** A small distribution, its packages, and what is in them. */
final class Built {
    static final Instant TIME = Instant.parse("2026-01-01T00:00:00Z");

    private Built() {}

    static Description description(String version, String home) {
        return new Description(version, TIME, Set.of("libz.so.1", "GLIBC_2.34"), home);
    }

    static Description description(String version) {
        return description(version, "https://verbena.invalid");
    }

    /** A distribution whose files the build's host has written with a narrow umask, the launcher being executable. */
    static FileTree tree(Path folder) throws IOException {
        Path distribution = folder.resolve("distribution");
        write(distribution.resolve("bin/verbena"), "#!/bin/sh\n").toFile().setExecutable(true);
        write(distribution.resolve("bin/karaf"), "#!/bin/sh\n");
        write(distribution.resolve("etc/startup.properties"), "a=b\n");
        write(distribution.resolve("lib/boot/main.jar"), "jar");
        write(distribution.resolve("system/one.jar"), "jar");
        write(distribution.resolve("bom.cdx.json"), "{}");
        write(distribution.resolve("share/man/man1/verbena.1"), ".TH verbena 1\n");
        write(distribution.resolve("share/bash-completion/completions/verbena"), "complete\n");
        Path files = folder.resolve("files");
        write(files.resolve("etc/verbena/sample.conf"), "x\n");
        Path runtime = folder.resolve("runtime");
        write(runtime.resolve("bin/java"), "elf").toFile().setExecutable(true);
        return Packages.tree(distribution, files, runtime);
    }

    private static Path write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    /** The members of a .deb by their names. */
    static Map<String, byte[]> members(Path deb) throws IOException {
        Map<String, byte[]> members = new LinkedHashMap<>();
        try (InputStream in = Files.newInputStream(deb);
                ArArchiveInputStream archive = new ArArchiveInputStream(in)) {
            for (var each = archive.getNextEntry(); each != null; each = archive.getNextEntry()) {
                members.put(each.getName(), archive.readAllBytes());
            }
        }
        return members;
    }

    static List<TarArchiveEntry> entries(byte[] archive) throws IOException {
        List<TarArchiveEntry> entries = new ArrayList<>();
        try (TarArchiveInputStream tar = open(archive)) {
            for (TarArchiveEntry each = tar.getNextEntry(); each != null; each = tar.getNextEntry()) {
                entries.add(each);
            }
        }
        return entries;
    }

    static String text(byte[] archive, String name) throws IOException {
        try (TarArchiveInputStream tar = open(archive)) {
            for (TarArchiveEntry each = tar.getNextEntry(); each != null; each = tar.getNextEntry()) {
                if (each.getName().equals(name)) {
                    return new String(tar.readAllBytes(), StandardCharsets.UTF_8);
                }
            }
        }
        throw new AssertionError("there is no " + name);
    }

    private static TarArchiveInputStream open(byte[] archive) throws IOException {
        return new TarArchiveInputStream(new GzipCompressorInputStream(new ByteArrayInputStream(archive)));
    }
}
