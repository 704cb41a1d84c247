package io.verbena.fuse.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.NfsException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The mount is replaced within a change of a name, and nobody has told whether the server has executed it. */
final class NameChangesTest {
    private static final long OWN = 1;
    private static final long ANOTHERS = 2;

    private final Map<String, FileAttributes> objects = new TreeMap<>();
    private final Mount next = mount(false);
    private boolean isExecuted;
    private Runnable meanwhile = () -> {};
    private NameChanges changes;

    @BeforeEach
    void mount() throws IOException {
        Mount first = mount(true);
        changes = new NameChanges(new PresentMount(new MountSource() {
            @Override
            public Mount get() {
                return first;
            }

            @Override
            public Mount successor(Mount gone) {
                return next;
            }
        }));
    }

    private static boolean isOwn(FileAttributes object) {
        return object.fileId() == OWN;
    }

    private Mount mount(boolean isReplaced) {
        return (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(), new Class<?>[] {Mount.class}, (self, method, arguments) -> {
                    if (!isReplaced) {
                        return execute(method.getName(), (String) arguments[0], arguments);
                    }
                    if (isExecuted) {
                        Object unused = execute(method.getName(), (String) arguments[0], arguments);
                    }
                    meanwhile.run();
                    throw new MountReplacedException("m", true);
                });
    }

    private Object execute(String method, String path, Object[] arguments) throws IOException {
        requireSame(path, arguments, 1);
        if (method.equals("rename")) {
            requireSame((String) arguments[2], arguments, 3);
        }
        return switch (method) {
            case "attributes" -> find(path);
            case "readLink" -> "text";
            case "createDirectory" -> add(path, FileType.DIRECTORY);
            case "createSymbolicLink" -> add(path, FileType.SYMBOLIC_LINK);
            case "remove" -> objects.remove(path, find(path));
            case "rename" -> {
                FileAttributes moved = find(path);
                objects.remove(path);
                yield objects.put((String) arguments[2], moved);
            }
            default -> throw new AssertionError(method);
        };
    }

    private void requireSame(String path, Object[] arguments, int index) throws IOException {
        if (arguments.length > index && arguments[index] instanceof FileKey directory) {
            FileAttributes there = find(path.substring(0, path.lastIndexOf('/')));
            if (!FileKey.of(there).equals(directory)) {
                throw new NfsException(path, "NFS4ERR_NOT_SAME", "another object is there by now");
            }
        }
    }

    private FileAttributes find(String path) throws NoSuchFileException {
        FileAttributes found = objects.get(path);
        if (found == null) {
            throw new NoSuchFileException(path);
        }
        return found;
    }

    private Object add(String path, FileType type) throws FileAlreadyExistsException {
        if (objects.containsKey(path)) {
            throw new FileAlreadyExistsException(path);
        }
        put(path, type, OWN);
        return null;
    }

    private void put(String path, FileType type, long id) {
        Instant time = Instant.EPOCH;
        objects.put(path, new FileAttributes(type, 0, 0, 0_755, 1, "0", "0", time, time, time, 1, 1, id, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldBeMadeOnce(boolean wasExecuted) throws IOException {
        isExecuted = wasExecuted;
        changes.createDirectory("/d", null, 0_755);
        assertThat(objects).containsOnlyKeys("/d");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRenameOnce(boolean wasExecuted) throws IOException {
        isExecuted = wasExecuted;
        put("/log", FileType.REGULAR, OWN);
        changes.rename("/log", null, "/log.1", null, NameChangesTest::isOwn);
        assertThat(objects).containsOnlyKeys("/log.1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRemoveOnce(boolean wasExecuted) throws IOException {
        isExecuted = wasExecuted;
        put("/lock", FileType.REGULAR, OWN);
        changes.remove("/lock", null, NameChangesTest::isOwn);
        assertThat(objects).isEmpty();
    }

    /** As the next owner of a lock does. */
    @Test
    void shouldNotRemoveTheFileOfAnotherProgramInThePlaceOfItsOwn() throws IOException {
        isExecuted = true;
        put("/lock", FileType.REGULAR, OWN);
        meanwhile = () -> put("/lock", FileType.REGULAR, ANOTHERS);
        changes.remove("/lock", null, NameChangesTest::isOwn);
        assertThat(objects.get("/lock").fileId()).isEqualTo(ANOTHERS);
    }

    private FileKey putDirectory() {
        put("/d", FileType.DIRECTORY, OWN);
        put("/d/f", FileType.REGULAR, OWN);
        return FileKey.of(objects.get("/d"));
    }

    /** As who renames a directory does, and makes a new one. */
    private void replaceDirectory() {
        put("/d", FileType.DIRECTORY, ANOTHERS);
        put("/d/f", FileType.REGULAR, ANOTHERS);
    }

    private static void assertIsAnother(ThrowingCallable change) {
        assertThatThrownBy(change).isInstanceOf(NfsException.class).hasMessageContaining("another object");
    }

    @Test
    void shouldNotRemoveTheFileInADirectoryThatHasTakenThePlaceOfItsOwn() {
        FileKey own = putDirectory();
        meanwhile = this::replaceDirectory;
        assertIsAnother(() -> changes.remove("/d/f", own, NameChangesTest::isOwn));
        assertThat(objects).containsKey("/d/f");
    }

    @Test
    void shouldNotRenameTheFileInADirectoryThatHasTakenThePlaceOfItsOwn() {
        FileKey own = putDirectory();
        meanwhile = this::replaceDirectory;
        assertIsAnother(() -> changes.rename("/d/f", own, "/d/g", own, NameChangesTest::isOwn));
        assertThat(objects).containsKey("/d/f");
    }

    @Test
    void shouldNotRenameIntoADirectoryThatHasTakenThePlaceOfItsOwn() {
        FileKey own = putDirectory();
        put("/log", FileType.REGULAR, OWN);
        meanwhile = this::replaceDirectory;
        assertIsAnother(() -> changes.rename("/log", null, "/d/g", own, NameChangesTest::isOwn));
        assertThat(objects).containsKey("/log").doesNotContainKey("/d/g");
    }

    @Test
    void shouldMakeNothingInADirectoryThatHasTakenThePlaceOfItsOwn() {
        FileKey own = putDirectory();
        meanwhile = this::replaceDirectory;
        assertIsAnother(() -> changes.createDirectory("/d/new", own, 0_755));
        assertThat(objects).doesNotContainKey("/d/new");
    }

    /** As the writer of a log does that is renamed. */
    @Test
    void shouldNotRenameTheFileOfAnotherProgramOverItsOwn() throws IOException {
        isExecuted = true;
        put("/log", FileType.REGULAR, OWN);
        meanwhile = () -> put("/log", FileType.REGULAR, ANOTHERS);
        changes.rename("/log", null, "/log.1", null, NameChangesTest::isOwn);
        assertThat(objects.get("/log.1").fileId()).isEqualTo(OWN);
        assertThat(objects.get("/log").fileId()).isEqualTo(ANOTHERS);
    }

    @Test
    void shouldTellWhereNobodyKnowsWhetherItWasRenamed() {
        put("/log", FileType.REGULAR, OWN);
        meanwhile = () -> put("/log", FileType.REGULAR, ANOTHERS);
        assertThatThrownBy(() -> changes.rename("/log", null, "/log.1", null, NameChangesTest::isOwn))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not known");
        assertThat(objects.get("/log").fileId()).isEqualTo(ANOTHERS);
    }

    @Test
    void shouldNotTakeAnObjectOfAnotherKindForItsOwn() {
        meanwhile = () -> put("/d", FileType.REGULAR, ANOTHERS);
        assertThatThrownBy(() -> changes.createDirectory("/d", null, 0_755))
                .isInstanceOf(FileAlreadyExistsException.class);
    }

    @Test
    void shouldNotTakeALinkWithAnotherTextForItsOwn() {
        meanwhile = () -> put("/l", FileType.SYMBOLIC_LINK, ANOTHERS);
        assertThatThrownBy(() -> changes.createSymbolicLink("/l", null, "other text"))
                .isInstanceOf(FileAlreadyExistsException.class);
    }
}
