package io.verbena.fuse.internal.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.fuse.internal.mount.MountSource;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A listing goes on when the mount is replaced in the middle of it. */
final class OpenDirectoryTest {
    private final List<String> names = new ArrayList<>(List.of("a", "b", "c", "d", "e", "f"));
    private int replaced;

    /** A mount that is replaced once it has listed some entries. */
    private Mount mount(int number, int entries) {
        return (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(), new Class<?>[] {Mount.class}, (self, method, args) -> {
                    if (replaced > number) {
                        throw new MountReplacedException("m", false);
                    }
                    return DirectoryListing.of(
                            listing(number, List.copyOf(names).iterator(), entries));
                });
    }

    private Iterator<DirectoryEntry> listing(int number, Iterator<String> all, int entries) {
        return new Iterator<>() {
            private int left = entries;

            @Override
            public boolean hasNext() {
                if (left == 0) {
                    replaced = number + 1;
                    throw new UncheckedIOException(new MountReplacedException("m", false));
                }
                return all.hasNext();
            }

            @Override
            public DirectoryEntry next() {
                left--;
                return new DirectoryEntry(all.next(), DirectoryEntry.NO_ATTRIBUTES);
            }
        };
    }

    @Test
    void shouldListEachEntryOnceThoughListedOnesAreRemovedAndMountsAreReplaced() throws IOException {
        List<Mount> mounts = List.of(mount(0, 3), mount(1, 0), mount(2, 1), mount(3, 9));
        PresentMount present = new PresentMount(new MountSource() {
            @Override
            public Mount get() {
                return mounts.get(0);
            }

            @Override
            public Mount successor(Mount gone) {
                return mounts.get(replaced);
            }
        });
        NodeTable nodes = new NodeTable();
        OpenDirectory directory = new OpenDirectory(present, nodes, nodes.root());
        List<String> seen = new ArrayList<>();
        for (OpenDirectory.Listed each = directory.at(0, true); each != null; each = directory.at(seen.size(), false)) {
            seen.add(each.entry().name());
            names.remove("a"); // as rm -r does
            names.remove("b");
        }
        assertThat(seen).containsExactly("a", "b", "c", "d", "e", "f");
    }
}
