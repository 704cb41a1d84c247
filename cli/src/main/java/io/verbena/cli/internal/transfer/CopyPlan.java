package io.verbena.cli.internal.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What a copy has to do, by the rules of {@code cp -r}: into a target that is a directory, else as the target. All of
 * the sources is looked through before anything is written, so that a copy into its own source ends.
 */
final class CopyPlan {
    /**
     * One file to copy.
     *
     * @param isFresh whether its directory is made by this copy, so that nothing can be in its place
     */
    record Item(Location from, Node node, Location to, boolean isFresh) {}

    private final boolean recursive;
    private final List<Item> directories = new ArrayList<>();
    private final List<Item> files = new ArrayList<>();
    private final List<String> skipped = new ArrayList<>();

    private CopyPlan(boolean recursive) {
        this.recursive = recursive;
    }

    static CopyPlan of(List<Location> sources, Location target, boolean recursive) throws IOException {
        CopyPlan plan = new CopyPlan(recursive);
        Optional<Node> there = target.find(true);
        boolean intoDirectory = there.isPresent() && there.get().isDirectory();
        if (!intoDirectory && sources.size() > 1) {
            throw new IOException(target + ": is no directory, which several sources need");
        }
        Set<String> targets = new HashSet<>();
        for (Location source : sources) {
            Node node = source.find(!recursive || source.isContents() || source.isDirectory())
                    .orElseThrow(() -> new IOException(source + ": no such file or directory"));
            if (!intoDirectory && target.isDirectory() && !node.isDirectory()) {
                throw new IOException(target + ": no such directory");
            }
            boolean below = intoDirectory && !source.isContents();
            Location to = below ? target.child(source.name()) : target.resolved();
            if (!source.isContents() && !targets.add(to.toString())) {
                throw new IOException(source + ": another source has that name too, and only one can become " + to);
            }
            plan.add(source, node, to, there.isEmpty());
        }
        return plan;
    }

    /** Directories to make where they are not there, parents first. */
    List<Item> directories() {
        return directories;
    }

    /** Regular files and symbolic links. */
    List<Item> files() {
        return files;
    }

    /** What is neither file, directory nor symbolic link. */
    List<String> skipped() {
        return skipped;
    }

    private void add(Location from, Node node, Location to, boolean isFresh) throws IOException {
        Item item = new Item(from, node, to, isFresh);
        if (node.isDirectory()) {
            if (!recursive) {
                throw new IOException(from + ": is a directory; -r copies it with all that is in it");
            }
            addDirectory(item);
        } else if (node.isRegularFile() || node.isSymbolicLink()) {
            files.add(item);
        } else if (recursive) {
            skipped.add(from.toString());
        } else {
            throw new IOException(from + ": is no regular file");
        }
    }

    private void addDirectory(Item item) throws IOException {
        Optional<Node> there = item.isFresh() ? Optional.empty() : item.to().find(directories.isEmpty());
        if (there.isPresent() && !there.get().isDirectory()) {
            throw new IOException(item.to() + ": is no directory, so " + item.from() + " cannot be copied there");
        }
        Item known = new Item(item.from(), item.node(), item.to(), there.isEmpty());
        directories.add(known);
        for (Node child : item.from().list()) {
            add(item.from().child(child.name()), child, item.to().child(child.name()), known.isFresh());
        }
    }
}
