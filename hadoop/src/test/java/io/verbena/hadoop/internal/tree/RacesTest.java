package io.verbena.hadoop.internal.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.verbena.nfs.FileType;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.UndecidedException;
import java.io.FileNotFoundException;
import java.net.URI;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathIOException;
import org.apache.hadoop.fs.PathIsNotEmptyDirectoryException;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.security.AccessControlException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What another process does to names at the same time. */
final class RacesTest {
    private static final URI ROOT = URI.create("nfs+rdma://server");

    private final FakeMount fake = new FakeMount();
    private final RemoteTree tree =
            new RemoteTree(fake.mount, new Statuses(ROOT, 1 << 20, new String[] {"server"}, owner -> owner));

    private static Path path(String name) {
        return new Path(ROOT + name);
    }

    private void putTree() {
        fake.put("/d", FileType.DIRECTORY, 2);
        fake.put("/d/a", FileType.DIRECTORY, 3);
        fake.put("/d/b", FileType.DIRECTORY, 4);
        fake.put("/d/b/f", FileType.REGULAR, 5);
    }

    @Test
    void shouldRemoveATreeOfWhichADirectoryVanishes() throws Exception {
        putTree();
        fake.meanwhile.put("listing /d/a", () -> fake.objects.remove("/d/a"));

        assertThat(tree.remove(path("/d"), true)).isTrue();

        assertThat(fake.objects).isEmpty();
    }

    @Test
    void shouldRemoveATreeOfWhichADirectoryVanishesThatIsBeingListed() throws Exception {
        putTree();
        fake.meanwhile.put("listing /d/a", () -> {
            fake.objects.remove("/d/a");
            throw new NfsException("work:/d/a", "NFS4ERR_STALE", "it was removed on the server");
        });

        assertThat(tree.remove(path("/d"), true)).isTrue();

        assertThat(fake.objects).isEmpty();
    }

    /** As where somebody puts a symbolic link to it in the place of the one that is to be removed. */
    @ParameterizedTest
    @ValueSource(strings = {"listing /d/b", "remove /d/b/f"})
    void shouldLeaveAloneWhatIsInAnotherDirectory(String call) {
        putTree();
        fake.meanwhile.put(call, () -> fake.put("/d/b", FileType.DIRECTORY, 9));

        assertThatThrownBy(() -> tree.remove(path("/d"), true))
                .isInstanceOf(PathIOException.class)
                .hasMessageContaining("another object is there by now");

        assertThat(fake.objects).containsOnlyKeys("/d", "/d/b", "/d/b/f");
    }

    /** The directory is asked for by itself, as the listing does not say what it is. */
    @Test
    void shouldLeaveAloneADirectoryOfAnotherDirectory() {
        fake.put("/d", FileType.DIRECTORY, 2);
        fake.put("/d/e", FileType.DIRECTORY, 3);
        fake.put("/d/e/f", FileType.REGULAR, 4);
        fake.undescribed.add("/d/e");
        fake.meanwhile.put("attributes /d/e", () -> fake.put("/d", FileType.DIRECTORY, 9));

        assertThatThrownBy(() -> tree.remove(path("/d"), true))
                .isInstanceOf(PathIOException.class)
                .hasMessageContaining("another object is there by now");

        assertThat(fake.objects).containsOnlyKeys("/d", "/d/e", "/d/e/f");
    }

    /** The server has forgotten the session, and says now that there is no such name. */
    @Test
    void shouldTakeForRemovedWhatIsGoneThough() throws Exception {
        putTree();
        for (String name : new String[] {"/d/b/f", "/d/b", "/d"}) {
            fake.meanwhile.put("remove " + name, () -> {
                fake.objects.remove(name);
                throw new UndecidedException("work:" + name, "NFS4ERR_NOENT", "not known");
            });
        }

        assertThat(tree.remove(path("/d"), true)).isTrue();

        assertThat(fake.objects).isEmpty();
    }

    /** As tasks do that have lost, while the job ends. */
    @ParameterizedTest
    @ValueSource(strings = {"/d/b", "/d"})
    void shouldRemoveATreeInWhichOthersGoOnToMakeFiles(String directory) throws Exception {
        putTree();
        fake.meanwhile.put("remove " + directory, () -> {
            fake.put(directory + "/late", FileType.REGULAR, 8);
            throw new DirectoryNotEmptyException(directory);
        });

        assertThat(tree.remove(path("/d"), true)).isTrue();

        assertThat(fake.objects).isEmpty();
    }

    @Test
    void shouldEndWhereADirectoryIsNeverEmpty() {
        putTree();
        refuse("/d/a");

        assertThatThrownBy(() -> tree.remove(path("/d"), true)).isInstanceOf(PathIsNotEmptyDirectoryException.class);
    }

    private void refuse(String directory) {
        fake.meanwhile.put("remove " + directory, () -> {
            refuse(directory);
            throw new DirectoryNotEmptyException(directory);
        });
    }

    /** Else the first directory keeps its owner from making the next one in it. */
    @Test
    void shouldLetTheOwnerCreateInParentsThatItCreates() throws Exception {
        tree.createDirectories(path("/x/y/z"), 0_500);

        assertThat(fake.modes).containsExactly(entry("/x", 0_700), entry("/x/y", 0_700), entry("/x/y/z", 0_500));
    }

    @Test
    void shouldMakeADirectoryOfWhichNobodyKnowsWhoHasMadeIt() throws Exception {
        fake.meanwhile.put("createDirectory /d", () -> {
            fake.put("/d", FileType.DIRECTORY, 2);
            throw new UndecidedException("work:/d", "NFS4ERR_EXIST", "not known");
        });

        tree.createDirectories(path("/d/e"), 0_755);

        assertThat(fake.objects).containsKeys("/d", "/d/e");
    }

    @Test
    void shouldGiveAFileNoSecondNameWhereAnotherRenamesIt() throws Exception {
        fake.put("/f", FileType.REGULAR, 2);
        fake.meanwhile.put("remove /f", () -> fake.objects.put("/theirs", fake.objects.remove("/f")));

        assertThatThrownBy(() -> tree.rename(path("/f"), path("/ours"), false))
                .isInstanceOf(FileNotFoundException.class);

        assertThat(fake.objects).containsOnlyKeys("/theirs");
    }

    /** As of another user's file in a directory with the sticky bit. */
    @Test
    void shouldGiveAFileNoSecondNameWhereItMayNotLoseItsFirst() throws Exception {
        fake.put("/f", FileType.REGULAR, 2);
        fake.meanwhile.put("remove /f", () -> {
            throw new AccessDeniedException("/f");
        });

        assertThatThrownBy(() -> tree.rename(path("/f"), path("/ours"), false))
                .isInstanceOf(AccessControlException.class);

        assertThat(fake.objects).containsOnlyKeys("/f");
    }

    /** The server has forgotten the session, and says now that there is no such name. */
    @Test
    void shouldLeaveAFileItsNewNameWhereItHasLostItsFirst() throws Exception {
        fake.put("/f", FileType.REGULAR, 2);
        fake.meanwhile.put("remove /f", () -> {
            fake.objects.remove("/f");
            throw new UndecidedException("work:/f", "NFS4ERR_NOENT", "not known");
        });

        assertThatThrownBy(() -> tree.rename(path("/f"), path("/ours"), false)).hasMessageContaining("not known");

        assertThat(fake.objects).containsOnlyKeys("/ours");
    }

    @Test
    void shouldListALinkThatLeadsToWhereThisUserMayNotLook() throws Exception {
        fake.put("/d", FileType.DIRECTORY, 2);
        fake.put("/d/link", FileType.SYMBOLIC_LINK, 3);
        fake.put("/d/rest", FileType.REGULAR, 4);
        fake.meanwhile.put("attributes /d/link", () -> {
            throw new AccessDeniedException("/secret");
        });

        RemoteIterator<FileStatus> listed = tree.list(path("/d"));

        assertThat(listed.next().isSymlink()).isTrue();
        assertThat(listed.next().getPath()).isEqualTo(path("/d/rest"));
        assertThat(listed.hasNext()).isFalse();
    }

    /** As the locks of Emacs and of Firefox are. */
    @Test
    void shouldListALinkThatLeadsNowhereWhateverItsTextIs() throws Exception {
        fake.put("/d", FileType.DIRECTORY, 2);
        fake.put("/d/link", FileType.SYMBOLIC_LINK, 3);
        fake.linkText = "root@host.17:1700000000";
        fake.meanwhile.put("attributes /d/link", () -> {
            throw new NoSuchFileException("/d/root@host.17:1700000000");
        });

        RemoteIterator<FileStatus> listed = tree.list(path("/d"));

        assertThat(listed.next().getSymlink().toUri().getPath()).isEqualTo("./root@host.17:1700000000");
        assertThat(listed.hasNext()).isFalse();
    }

    @Test
    void shouldListWhatSomebodyPutsInThePlaceOfALink() throws Exception {
        fake.put("/d", FileType.DIRECTORY, 2);
        fake.put("/d/link", FileType.SYMBOLIC_LINK, 3);
        fake.meanwhile.put("attributes /d/link", () -> {
            throw new NoSuchFileException("/d/target");
        });
        fake.meanwhile.put("readLink /d/link", () -> {
            fake.put("/d/link", FileType.REGULAR, 4);
            throw new NotLinkException("/d/link");
        });

        RemoteIterator<FileStatus> listed = tree.list(path("/d"));

        assertThat(listed.next().isFile()).isTrue();
        assertThat(listed.hasNext()).isFalse();
    }
}
