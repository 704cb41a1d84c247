package io.verbena.simulation.disk;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A force or a sync under way: what was changed when it began. What is changed meanwhile, while the latency hook lets
 * other threads run, is not part of it, though a crash may leave that, too.
 */
final class PendingForce {
    private final SimulatedDisk disk;
    private final long mark;
    private final Map<Inode, List<FileContent.Pending>> pages = new LinkedHashMap<>();

    /**
     * @param files those whose content is to be written
     * @param mark up to where the journal is to be committed
     */
    PendingForce(SimulatedDisk disk, Collection<Inode> files, long mark) {
        this.disk = disk;
        this.mark = mark;
        for (Inode file : files) {
            List<FileContent.Pending> all = new ArrayList<>();
            file.content.begin(all);
            pages.put(file, all);
        }
    }

    /** How many octets are to be written. */
    long octets() {
        return pages.values().stream().mapToLong(List::size).sum() * FileContent.PAGE;
    }

    /** Called when it does not come about, as after a loss of power. */
    void cancel() {
        pages.values().forEach(all -> all.forEach(each -> each.version().pins--));
    }

    /** Brings all of it to stable storage. */
    void succeed() {
        disk.journal().commit(mark);
        pages.forEach((file, all) -> {
            all.forEach(file.content::store);
            disk.settled(file);
        });
        cancel();
    }

    /** Loses some pages and writes the others; the journal stays as it is. All descriptors of the files report that. */
    void fail() {
        DiskFaults faults = disk.faults();
        pages.forEach((file, all) -> {
            for (FileContent.Pending each : all) {
                if (faults.losesPage()) {
                    file.content.lose(each, faults.evictsPage(), disk.space());
                } else {
                    file.content.store(each);
                }
            }
            file.errors.failed();
            disk.settled(file);
        });
        disk.errors().failed();
        cancel();
    }
}
