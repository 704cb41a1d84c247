package io.verbena.itests.model;

import io.verbena.nfs.Mount;
import java.nio.file.FileSystem;
import java.nio.file.Path;

/**
 * One of the mounts.
 *
 * @param number from 0 on
 * @param fileSystem the file system of java.nio on the mount
 * @param directory the run's directory below the export, with a leading but without a trailing slash
 */
public record Side(int number, Mount mount, FileSystem fileSystem, String directory) {
    public String remote(String name) {
        return directory + "/" + name;
    }

    public Path path(String name) {
        return fileSystem.getPath(directory + "/" + name);
    }

    int other() {
        return 1 - number;
    }

    @Override
    public String toString() {
        return String.valueOf((char) ('A' + number));
    }
}
