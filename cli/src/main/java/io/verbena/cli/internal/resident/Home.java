package io.verbena.cli.internal.resident;

import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/** The files that an instance stands on: those of its distribution, and its socket. It ends when one is replaced. */
final class Home {
    private final List<Path> files;
    private final List<String> before;

    Home(Path... files) {
        this.files = List.of(files);
        this.before = present();
    }

    /** Returns whether the files are those that were there at first. */
    boolean isThere() {
        return present().equals(before);
    }

    /** Returns the files of the distribution that tell one version from another. */
    static Path[] ofDistribution(Path socket) {
        Path home = LocalNames.path(System.getProperty("karaf.home", "/"));
        return new Path[] {
            home.resolve("etc/startup.properties"), home.resolve("bin/verbena"), home.resolve("lib/boot"), socket
        };
    }

    private List<String> present() {
        List<String> found = new ArrayList<>();
        for (Path file : files) {
            try {
                BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
                found.add(attributes.fileKey() + " " + attributes.lastModifiedTime());
            } catch (IOException e) {
                found.add("none");
            }
        }
        return found;
    }
}
