package io.verbena.nfs.nio.internal;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_DELETE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static java.nio.file.StandardWatchEventKinds.OVERFLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.nio.internal.directory.NfsWatchKey;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.WatchEvent;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Directories as a server lists them, which is not trusted. */
@Timeout(60)
class NfsWatchServiceTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private Path root() {
        return server.files.root();
    }

    @Test
    void shouldNotTellOfNamesThatNoFileCanHave() throws Exception {
        try (WatchService watch = server.files.newWatchService()) {
            WatchKey key = root().register(watch, ENTRY_CREATE);
            for (String name : new String[] {"../x", "a/b", "..", "", "a\0", "good"}) {
                server.directory.list(name);
            }
            assertThat(watch.take()).isSameAs(key);
            assertThat(key.pollEvents()).singleElement().satisfies(event -> assertThat(event.context())
                    .hasToString("good"));
        }
    }

    /** What its attributes are is told only later: it is the file that it was. */
    @Test
    void shouldNotTakeAnEntryForAnotherWhoseAttributesAreToldLater() throws Exception {
        server.directory.listWithoutAttributes("file");
        try (WatchService watch = server.files.newWatchService()) {
            WatchKey key = root().register(watch, ENTRY_CREATE, ENTRY_DELETE, ENTRY_MODIFY);
            server.directory.list("file");
            ((NfsWatchKey) key).look();
            assertThat(key.pollEvents()).singleElement().satisfies(event -> {
                assertThat(event.kind()).isEqualTo(ENTRY_MODIFY);
                assertThat(event.context()).hasToString("file");
            });
            server.directory.listWithoutAttributes("file");
            ((NfsWatchKey) key).look();
            server.directory.list("file");
            ((NfsWatchKey) key).look();
            assertThat(key.pollEvents()).isEmpty();
        }
    }

    @Test
    void shouldListAllButNamesThatNoFileCanHaveAndTellOfThoseThen() throws IOException {
        for (String name : new String[] {"first", "../x", "a/b", "..", ".", "", "a\0", "\ud800", "last"}) {
            server.directory.list(name);
        }
        List<String> listed = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root())) {
            assertThatThrownBy(() -> entries.forEach(entry -> listed.add(entry.toString())))
                    .isInstanceOf(DirectoryIteratorException.class)
                    .hasMessageContaining("which no file can be named, and 6 more");
        }
        assertThat(listed).containsExactly("/first", "/last");
    }

    @Test
    void shouldTellWhoWaitsThatTheFileSystemIsGone() throws IOException {
        WatchService watch = server.files.newWatchService();
        WatchKey key = root().register(watch, ENTRY_CREATE);
        server.files.mount().close();
        assertThatThrownBy(watch::take).isInstanceOf(ClosedWatchServiceException.class);
        assertThat(key.isValid()).isFalse();
    }

    /** All other directories are watched by the same thread. */
    @Test
    void shouldGoOnBehindAnError() throws Exception {
        try (WatchService watch = server.files.newWatchService()) {
            WatchKey key = root().register(watch, ENTRY_CREATE);
            server.directory.failOnce(new OutOfMemoryError("a directory that is too large"));
            assertThat(watch.take()).isSameAs(key);
            assertThat(key.pollEvents()).singleElement().satisfies(event -> assertThat(event.kind())
                    .isEqualTo(OVERFLOW));
            assertThat(key.reset()).isTrue();
            server.directory.list("late");
            assertThat(watch.take()).isSameAs(key);
            assertThat(key.pollEvents()).singleElement().satisfies(event -> assertThat(event.context())
                    .hasToString("late"));
        }
    }

    @Test
    void shouldTakeNoModifiersButTheHintOfTheJdk() throws Exception {
        WatchEvent.Kind<?>[] kinds = {ENTRY_CREATE};
        try (WatchService watch = server.files.newWatchService()) {
            WatchEvent.Modifier unknown = () -> "RECURSIVE";
            assertThatThrownBy(() -> root().register(watch, kinds, unknown))
                    .isInstanceOf(UnsupportedOperationException.class);
            assertThat(root().register(watch, kinds, sensitivity()).isValid()).isTrue();
        }
    }

    private static WatchEvent.Modifier sensitivity() {
        try {
            return (WatchEvent.Modifier) Class.forName("com.sun.nio.file.SensitivityWatchEventModifier")
                    .getEnumConstants()[0];
        } catch (ClassNotFoundException e) {
            return Assumptions.abort("this JDK has no such hint: " + e);
        }
    }
}
