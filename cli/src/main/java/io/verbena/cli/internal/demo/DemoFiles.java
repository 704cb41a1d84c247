package io.verbena.cli.internal.demo;

import io.verbena.nfs.transfer.CopyEngine;
import io.verbena.nfs.transfer.Location;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileVisitResult;
import java.nio.file.FileVisitor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Creates, finds, compares and removes the files of the demonstration.
 *
 * @param megabytes the size of the big file in MiB
 * @param minFiles the smallest number of files in the tree
 * @param maxFiles the largest number of files in the tree
 */
record DemoFiles(int megabytes, int minFiles, int maxFiles) {
    /** The sizes that users see. */
    static final DemoFiles FULL = new DemoFiles(256, 1_000, 2_000);

    private static final int BLOCK_SIZE = 1 << 20;
    private static final long MAX_FILE_SIZE = 16L << 20;
    private static final long SEED = 0x5eed;

    /** Fills the big file with pseudorandom numbers that are the same in every run. */
    Path generate(Path file) throws IOException {
        Random random = new Random(SEED);
        byte[] block = new byte[BLOCK_SIZE];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < megabytes; i++) {
                random.nextBytes(block);
                out.write(block);
            }
        }
        return file;
    }

    /** Copies the readable files of the Java installation, and adds generated files if there are too few. */
    Path gather(Path tree) throws IOException {
        Path java = LocalNames.path(System.getProperty("java.home"));
        int count = 0;
        for (Path file : find(java)) {
            Path copy = tree.resolve("java").resolve(java.relativize(file).toString());
            Files.createDirectories(copy.getParent());
            Files.copy(file, copy);
            count++;
        }
        Random random = new Random(SEED);
        for (; count < minFiles; count++) {
            Path directory = Files.createDirectories(tree.resolve("generated/" + count % 10));
            byte[] content = new byte[random.nextInt(64 << 10)];
            random.nextBytes(content);
            Files.write(directory.resolve("file " + count), content);
        }
        return tree;
    }

    private List<Path> find(Path top) throws IOException {
        List<Path> found = new ArrayList<>();
        FileVisitor<Path> visitor = new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (attributes.isRegularFile() && attributes.size() <= MAX_FILE_SIZE && Files.isReadable(file)) {
                    found.add(file);
                }
                return found.size() < maxFiles ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException failure) {
                return FileVisitResult.CONTINUE;
            }
        };
        Files.walkFileTree(top, visitor);
        return found;
    }

    /** Returns the SHA-256 of a file, or of all files below a directory by their relative paths. */
    static Map<String, String> digests(Path top, CopyEngine engine) throws IOException, InterruptedException {
        List<Path> files = new ArrayList<>();
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                files.add(file);
                return FileVisitResult.CONTINUE;
            }
        });
        Map<String, String> digests = new TreeMap<>();
        for (Path file : files) {
            digests.put(top.relativize(file).toString(), engine.sha256(Location.of(file)));
        }
        return digests;
    }

    /** Removes a directory with everything in it. */
    static void delete(Path top) throws IOException {
        Files.walkFileTree(top, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException failure) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
