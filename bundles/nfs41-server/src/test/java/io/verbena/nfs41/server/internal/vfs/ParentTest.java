package io.verbena.nfs41.server.internal.vfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.attribute.AttributeChanger;
import io.verbena.nfs41.server.internal.attribute.Caller;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.util.SipHash;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** LOOKUPP of a directory that another client removes at the same time. */
class ParentTest {
    @TempDir
    Path directory;

    /** Counts the calls that read a status, down to the one behind which the directory is removed. */
    private int left = -1;

    private ExportTree tree;
    private TreeChanges changes;

    @BeforeEach
    void export() throws Exception {
        tree = new ExportTree(
                directory,
                path -> Intercepted.directory(Directories.open(path), this::intercept),
                new SipHash(new byte[SipHash.KEY_BYTES], 0),
                2,
                16,
                new SystemRuntime());
        changes = new TreeChanges(tree, new AttributeChanger(true, true), false, inode -> {}, new SystemRuntime());
    }

    @AfterEach
    void close() {
        tree.close();
    }

    private Object intercept(Object target, String method, Intercepted.Call real) throws Throwable {
        Object result = real.make();
        if (method.equals("status") && left-- == 0) {
            changes.remove(tree.root(), "dir", Caller.ROOT, (inode, change) -> change.make());
        }
        return result;
    }

    private Inode made() throws IOException {
        Files.createDirectory(directory.resolve("dir"));
        Inode made = tree.lookup(tree.root(), "dir", Caller.ROOT).inode();
        tree.pin(made).close();
        return made;
    }

    @Test
    void shouldTellThatTheDirectoryIsGoneWheneverItIsRemoved() throws Exception {
        int removals = 0;
        while (true) {
            Inode made = made();
            left = removals;
            Throwable thrown = catchThrowable(() -> tree.parent(made, Caller.ROOT));
            if (left >= 0) {
                assertThat(thrown).isNull(); // it was there all the time
                break;
            }
            assertThat(thrown).isInstanceOfSatisfying(NfsError.class, e -> assertThat(e.status())
                    .isEqualTo(Status.NFS4ERR_STALE));
            removals++;
        }
        assertThat(removals).isPositive();
    }
}
