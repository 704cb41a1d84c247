package io.verbena.fuse.internal.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.node.Node;
import io.verbena.fuse.internal.node.NodeTable;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes.FileKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A directory as one opendir(3) has opened it: a listing that goes on from call to call. An entry keeps its offset as
 * long as the directory is open, until it is rewound. Thread safe.
 */
public final class OpenDirectory {
    /** How many entries are kept for programs that go back; beyond, an offset is counted anew. */
    private static final int MAX_KEPT = 1 << 16;

    private static final int MAX_REPLACEMENTS = 10;

    private final PresentMount mount;
    private final NodeTable nodes;
    private final Node node;

    @GuardedBy("this")
    private final List<Listed> kept = new ArrayList<>();

    /** The offset of the first entry that is kept. */
    @GuardedBy("this")
    private long first;

    @GuardedBy("this")
    private DirectoryListing listing;

    /** Names that were given by the listing of a former mount, and that the present one may still come to. */
    @GuardedBy("this")
    private final Set<String> given = new HashSet<>();

    /**
     * An entry of the listing.
     *
     * @param isFresh whether its attributes may be used now
     */
    public record Listed(DirectoryEntry entry, BooleanSupplier isFresh) {}

    public OpenDirectory(PresentMount mount, NodeTable nodes, Node node) {
        this.mount = mount;
        this.nodes = nodes;
        this.node = node;
    }

    public Node node() {
        return node;
    }

    /** The entry at an offset, or null at the end. Offset 0 begins a new listing. */
    public synchronized Listed at(long offset, boolean rewinds) throws IOException {
        if (listing == null || (rewinds && offset == 0) || offset < first) {
            restart();
        }
        while (offset >= first + kept.size()) {
            Listed next = next();
            if (next == null) {
                return null;
            }
            if (kept.size() == MAX_KEPT) {
                kept.subList(0, MAX_KEPT / 2).clear();
                first += MAX_KEPT / 2;
            }
            kept.add(next);
        }
        return kept.get((int) (offset - first));
    }

    @GuardedBy("this")
    private void restart() throws IOException {
        kept.clear();
        first = 0;
        given.clear();
        listing = list();
    }

    /** Lists the directory, and none that another client has put in its place. */
    private DirectoryListing list() throws IOException {
        String path = nodes.path(node);
        FileKey key = node.fileKey();
        return mount.call(present -> key == null ? present.listing(path) : present.listing(path, key));
    }

    /** The next entry whose name can be used; null at the end. */
    @GuardedBy("this")
    private Listed next() throws IOException {
        boolean begins = false;
        for (int replacements = 0; ; replacements++) {
            try {
                if (begins) {
                    beginAgain();
                    begins = false;
                }
                while (listing.hasNext()) {
                    DirectoryEntry entry = listing.next();
                    if (entry.isNameUsable() && !given.remove(entry.name())) {
                        return new Listed(entry, listing.freshness());
                    }
                }
                return null;
            } catch (UncheckedIOException e) {
                if (PresentMount.replacement(e).isEmpty() || replacements == MAX_REPLACEMENTS) {
                    throw e.getCause();
                }
                begins = true;
            }
        }
    }

    /**
     * Begins the listing on the next mount. What was given already is known by its name: a program that removes what it
     * lists would miss entries if they were counted. Only entries whose names are not kept any more are counted.
     */
    @GuardedBy("this")
    private void beginAgain() throws IOException {
        given.clear();
        kept.forEach(each -> given.add(each.entry().name()));
        listing = list();
        for (long i = 0; i < first && listing.hasNext(); ) {
            DirectoryEntry entry = listing.next();
            if (entry.isNameUsable() && !given.remove(entry.name())) {
                i++;
            }
        }
    }
}
