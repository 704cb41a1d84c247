package io.verbena.itests.model;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs.MountStatistics;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** java.nio returns the current attributes of a directory's entries even after a listing of the directory. */
@Timeout(120)
class ListedAttributesTest {
    private static final String SHORT = "a";
    private static final String LONG = "longer by far";

    @TempDir
    private Path folder;

    private EmbeddedMountPair pair;

    @BeforeEach
    void makeFiles() throws IOException {
        pair = new EmbeddedMountPair(folder, 1, "", "noac", "actimeo=0");
        Files.writeString(pair.directory().resolve("a"), SHORT);
        Files.writeString(pair.directory().resolve("b"), SHORT);
    }

    @AfterEach
    void unmount() throws IOException {
        pair.close();
    }

    private Path directory(int mount) {
        return pair.side(mount).path("");
    }

    /** The other one of the two files. */
    private static String other(Path entry) {
        return entry.endsWith("a") ? "b" : "a";
    }

    /** A change of a file through any door. */
    @FunctionalInterface
    private interface Change {
        void of(Side side, String name) throws IOException;
    }

    private static void overwrite(Side side, String name) throws IOException {
        Path unused = Files.writeString(side.path(name), LONG);
    }

    private static void overwriteByRemoteFile(Side side, String name) throws IOException {
        try (RemoteFile file = side.mount().open(side.remote(name), Set.of(StandardOpenOption.WRITE), 0)) {
            file.write(ByteBuffer.wrap(LONG.getBytes(US_ASCII)), 0);
            file.sync();
        }
    }

    private void change(int iterating, int changing, Change change) throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory(iterating))) {
            Iterator<Path> entries = stream.iterator();
            Path first = entries.next();
            change.of(pair.side(changing), other(first));
            Path second = entries.next();
            assertThat(second).endsWithRaw(pair.side(iterating).fileSystem().getPath(other(first)));
            assertThat(Files.size(second)).isEqualTo(LONG.length());
        }
    }

    @Test
    void shouldSeeWhatWasWrittenSinceTheListingBegan() throws IOException {
        change(0, 0, ListedAttributesTest::overwrite);
    }

    @Test
    void shouldSeeWhatARemoteFileHasWrittenSinceTheListingBegan() throws IOException {
        change(0, 0, ListedAttributesTest::overwriteByRemoteFile);
    }

    /** With {@code noac}, and with an {@code actimeo} of zero. */
    @ParameterizedTest
    @CsvSource({"1", "2"})
    void shouldSeeWhatAnotherClientHasWrittenWhereNothingMayBeOld(int mount) throws IOException {
        change(mount, 0, ListedAttributesTest::overwrite);
    }

    @Test
    void shouldSeeWhatWasWrittenAfterAnEntryWasGiven() throws IOException {
        Map<String, Change> doors = new HashMap<>();
        doors.put("java.nio", ListedAttributesTest::overwrite);
        doors.put("RemoteFile", ListedAttributesTest::overwriteByRemoteFile);
        for (Map.Entry<String, Change> door : doors.entrySet()) {
            makeShort();
            Path listed;
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory(0))) {
                listed = stream.iterator().next();
                door.getValue().of(pair.side(0), listed.getFileName().toString());
                assertThat(Files.size(listed)).as(door.getKey()).isEqualTo(LONG.length());
            }
        }
    }

    private void makeShort() throws IOException {
        for (String name : Set.of("a", "b")) {
            Path unused = Files.writeString(pair.side(0).path(name), SHORT);
        }
    }

    /** Changes on their way from a RemoteFile that is not synced. */
    @Test
    void shouldSeeWhatIsOnItsWay() throws IOException {
        Side side = pair.side(0);
        try (RemoteFile file = side.mount().open(side.remote("a"), Set.of(StandardOpenOption.WRITE), 0);
                DirectoryStream<Path> stream = Files.newDirectoryStream(directory(0))) {
            Iterator<Path> entries = stream.iterator();
            Path first = entries.next();
            Path entry = first.endsWith("a") ? first : entries.next();
            var unused = file.writeAsync(ByteBuffer.wrap(LONG.getBytes(US_ASCII)), 0);
            assertThat(Files.size(entry)).isEqualTo(LONG.length());
        }
    }

    @Test
    void shouldNotFindWhatWasRemovedSinceTheListingBegan() throws IOException {
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory(0))) {
            Iterator<Path> entries = stream.iterator();
            Files.delete(pair.side(0).path(other(entries.next())));
            assertThat(Files.exists(entries.next())).isFalse();
        }
    }

    /** A walk requests pages, but not each entry. */
    @Test
    void shouldTellAWalkWhatThePagesToldIt() throws IOException {
        for (int i = 0; i < 500; i++) {
            Files.createFile(pair.directory().resolve("file" + i));
        }
        Side side = pair.side(0);
        MountStatistics before = side.mount().statistics();
        Counter counter = new Counter();
        Path unused = Files.walkFileTree(side.path(""), counter);
        assertThat(counter.files).isEqualTo(502);
        assertThat(counter.octets).isEqualTo(2);
        assertThat(side.mount().statistics().since(before).total().count()).isLessThan(100);
    }

    private static final class Counter extends SimpleFileVisitor<Path> {
        private int files;
        private long octets;

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            files++;
            octets += attributes.size();
            return FileVisitResult.CONTINUE;
        }
    }
}
