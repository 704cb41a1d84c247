package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a user may do in directories of others, where the process is root and the kernel refuses it nothing. */
class DirectoryPermissionTest extends ServerFixture {
    @BeforeEach
    void beAnotherUser() throws IOException {
        assumeTrue(Files.getAttribute(directory, "unix:uid").equals(0));
        client.as(4711, 4712);
    }

    private Path make(String name, String permissions) throws IOException {
        Path made = Files.createDirectory(directory.resolve(name));
        Files.setPosixFilePermissions(made, PosixFilePermissions.fromString(permissions));
        return made;
    }

    private Status rename(String from, String oldName, String to, String newName) throws Exception {
        Op rename = out -> Rename.encodeArgs(out, new Rename.Args(oldName, newName));
        return client.inSession(root(), look(from), SaveFh::encodeArgs, root(), look(to), rename)
                .status();
    }

    /** The entry ".." of the directory changes with its parent. */
    @Test
    void shouldMoveNoDirectoryThatTheUserMayNotWriteTo() throws Exception {
        make("from", "rwxrwxrwx");
        make("from/theirs", "rwxr-xr-x");
        make("from/all", "rwxrwxrwx");
        make("to", "rwxrwxrwx");
        assertThat(rename("from", "theirs", "to", "theirs")).isEqualTo(Status.NFS4ERR_ACCESS);
        assertThat(rename("from", "theirs", "from", "renamed")).isEqualTo(Status.NFS4_OK);
        assertThat(rename("from", "all", "to", "all")).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldTellNoNamesOfADirectoryThatTheUserMayNotSearch() throws Exception {
        Path theirs = make("theirs", "rwxrw-rw-");
        Files.createFile(theirs.resolve("there"));
        make("own", "rwxrwxrwx");
        Files.createFile(directory.resolve("own/file"));
        for (String name : new String[] {"there", "absent"}) {
            Op create = out -> Create.encodeArgs(out, Create.directory(name, Attributes.EMPTY));
            Op remove = out -> Remove.encodeArgs(out, new Remove.Args(name));
            for (Op op : new Op[] {create, remove}) {
                assertThat(client.inSession(root(), look("theirs"), op).status())
                        .isEqualTo(Status.NFS4ERR_ACCESS);
            }
            assertThat(rename("theirs", name, "own", "new")).isEqualTo(Status.NFS4ERR_ACCESS);
            assertThat(rename("own", "file", "theirs", name)).isEqualTo(Status.NFS4ERR_ACCESS);
        }
    }

    /** As Linux: else the file would run as a group that its maker is not in. */
    @Test
    void shouldMakeNoSetGroupIdFileOfAGroupThatTheUserIsNotIn() throws Exception {
        Path shared = make("shared", "rwxrwxrwx");
        Files.setAttribute(shared, "unix:gid", 5000);
        Files.setAttribute(shared, "unix:mode", 02777);
        assertThat(client.inSession(root(), look("shared"), client.open("program", 3, 0, unchecked(02755)))
                        .status())
                .isEqualTo(Status.NFS4_OK);
        Path made = shared.resolve("program");
        assertThat(Files.getAttribute(made, "unix:gid")).isEqualTo(5000);
        assertThat((int) Files.getAttribute(made, "unix:mode") & 07777).isEqualTo(0755);
    }
}
