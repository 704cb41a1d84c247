package io.verbena.cli.internal.transfer;

import io.verbena.cli.internal.FileKey;
import io.verbena.cli.internal.transfer.CopyOptions.Flag;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** Makes hard links of names whose files have been copied by another name. For one thread. */
final class FurtherNames {
    private final CopyOptions options;
    private final Progress progress;
    private final Obstacles obstacles;
    private long made;

    FurtherNames(CopyOptions options, Progress progress, Obstacles obstacles) {
        this.options = options;
        this.obstacles = obstacles;
        this.progress = progress;
    }

    /** Those that were made; those that were there already are not among them. */
    long made() {
        return made;
    }

    /**
     * Makes them. One that cannot be made keeps no other from it.
     *
     * @param failures those of the files, to which those of the links are added
     */
    void make(List<HardLinks.Link> links, Collection<Failure> failures) throws IOException, InterruptedException {
        Set<String> lost = failures.stream().map(Failure::path).collect(Collectors.toSet());
        for (HardLinks.Link link : links) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            Location from = link.item().from();
            try {
                if (lost.contains(link.first().from().toString())) {
                    throw new IOException(
                            from + ": is a hard link to " + link.first().from() + ", which could not be copied");
                }
                make(link.item(), link.first().to());
            } catch (IOException e) {
                if (Fatal.isFatal(e, from, link.item().to())) {
                    throw e;
                }
                failures.add(Failure.of(from, e));
            }
        }
    }

    /**
     * Tells of those that would be made, and changes nothing.
     *
     * @param removals tells of what would go
     * @param failures where those are added that would fail
     */
    void rehearse(
            List<HardLinks.Link> links, Removals removals, Collection<Failure> failures, Consumer<HardLinks.Link> out)
            throws IOException, InterruptedException {
        for (HardLinks.Link link : links) {
            CopyPlan.Item item = link.item();
            try {
                Optional<Node> there =
                        item.isFresh() ? Optional.empty() : item.to().find(false);
                if (there.isPresent() && isSameFile(there.get(), link.first().to())) {
                    progress.leave(0);
                    continue;
                }
                if (there.isPresent() && (there.get().isDirectory() || item.obstacle() != null)) {
                    obstacles.check(item, there.get());
                    removals.remove(item.obstacle(), failures::add);
                }
                out.accept(link);
                made++;
            } catch (IOException e) {
                if (Fatal.isFatal(e, item.from(), item.to())) {
                    throw e;
                }
                failures.add(Failure.of(item.from(), e));
            }
        }
    }

    private static boolean isSameFile(Node there, Location existing) throws IOException {
        FileKey key = there.key();
        return key != null
                && existing.find(false).filter(node -> key.equals(node.key())).isPresent();
    }

    private void make(CopyPlan.Item item, Location existing) throws IOException, InterruptedException {
        Location to = item.to();
        Optional<Node> there = to.find(false); // somebody else may have made its directory meanwhile
        if (there.isEmpty()) {
            to.createLink(existing);
            made++;
            return;
        }
        if (there.get().isDirectory()) {
            obstacles.check(item, there.get());
        }
        if (isSameFile(there.get(), existing)) {
            progress.leave(0);
            return;
        }
        if (!options.has(Flag.FORCE) && there.get().isRegularFile()) {
            to.checkMayWrite();
        }
        obstacles.replace(item, link -> link.createLink(existing));
        made++;
    }
}
