package io.verbena.simulation.workload;

import io.verbena.nfs.Mount;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.RemoteLock;
import io.verbena.simulation.world.ClientHost;
import io.verbena.simulation.world.Judge;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Numbers in some files, each with a lock of its own. A worker holds the locks of some at once, shared ones too, and
 * longer than a lease at times. Each write has another number, so that a write behind the lock's end is seen.
 */
final class Cells {
    private static final int FILES = 4;
    private static final int CELLS = 3;
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final long MOST_REST = 1_000_000_000;
    private static final Set<StandardOpenOption> OPTIONS =
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final List<List<Cell>> files = new ArrayList<>();
    /** Those that are in use, by mount: one process cannot lock the same range twice. */
    private final Set<String> inUse = new HashSet<>();

    private long numbers;

    /** A number. */
    private static final class Cell {
        private final String path;
        private final int index;
        private final List<Hold> holds = new ArrayList<>();
        /** What it may be: the last number that was confirmed, or one that was written since. */
        private final Set<Long> possible = new HashSet<>(Set.of(0L));
        /** How often it was locked for writing. */
        private int turns;

        Cell(String path, int index) {
            this.path = path;
            this.index = index;
        }

        long position() {
            return (long) Long.BYTES * index;
        }

        @Override
        public String toString() {
            return index + " of " + path;
        }
    }

    /** A lock that a client has got. */
    private record Hold(Cell cell, ClientHost client, RemoteLock lock, int turn, long since) {
        boolean isCertain(Judge judge) {
            return !client.process().isDead() && lock.isValid() && !judge.mayBeForgotten(client, since);
        }

        boolean isLast() {
            return cell.turns == turn;
        }
    }

    /** One worker's use of the cells. */
    private record Visit(
            ClientHost client, String who, Judge judge, SplittableRandom random, RemoteFile file, List<Hold> held) {
        void rest() throws IOException {
            boolean isLong = random.nextInt(12) == 0;
            try {
                client.process().runtime().sleep(isLong ? 2 * judge.leaseNanos() : random.nextLong(MOST_REST));
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        }

        long read(Cell cell) throws IOException {
            ByteBuffer octets = ByteBuffer.allocate(Long.BYTES);
            file.read(octets, cell.position());
            return octets.position() < Long.BYTES ? 0 : octets.getLong(0);
        }
    }

    Cells() {
        for (int file = 0; file < FILES; file++) {
            List<Cell> cells = new ArrayList<>();
            for (int index = 0; index < CELLS; index++) {
                cells.add(new Cell("/cells-" + file, index));
            }
            files.add(cells);
        }
    }

    /** Locks some cells of a file, reads them, and changes those that are locked for writing. */
    void visit(ClientHost client, String who, Judge judge, SplittableRandom random) throws IOException {
        Mount mount = client.mount();
        List<Cell> chosen = new ArrayList<>();
        for (Cell each : files.get(random.nextInt(FILES))) {
            if (random.nextBoolean() && inUse.add(mount.name() + " " + each)) {
                chosen.add(each);
            }
        }
        if (chosen.isEmpty()) {
            return;
        }
        long start = judge.now();
        try (RemoteFile file = mount.open(chosen.get(0).path, OPTIONS, 0666)) {
            lock(chosen, new Visit(client, who, judge, random, file, new ArrayList<>()));
        } catch (NfsException e) {
            if (!e.getMessage().contains("a lock on it was lost") || !judge.mayBeForgotten(client, start)) {
                throw e;
            }
            judge.tell(who + " has lost a lock of a cell, since it was silent");
        } finally {
            chosen.forEach(each -> inUse.remove(mount.name() + " " + each));
        }
    }

    /** Locks the first of these cells, and then the others, in their order. */
    private void lock(List<Cell> left, Visit visit) throws IOException {
        if (left.isEmpty()) {
            use(visit);
            return;
        }
        Cell cell = left.get(0);
        if (visit.random.nextInt(3) == 0) {
            visit.rest();
        }
        boolean shared = visit.random.nextInt(3) == 0;
        Optional<RemoteLock> granted = visit.file.tryLock(cell.position(), Long.BYTES, shared, PATIENCE);
        if (granted.isEmpty()) {
            visit.judge.tell(visit.who + " does not get the lock of cell " + cell);
            use(visit);
            return;
        }
        try (RemoteLock lock = granted.get()) {
            Hold hold = taken(cell, lock, visit);
            try {
                lock(left.subList(1, left.size()), visit);
            } finally {
                cell.holds.remove(hold);
            }
        }
    }

    private Hold taken(Cell cell, RemoteLock lock, Visit visit) {
        Judge judge = visit.judge;
        for (Hold other : cell.holds) {
            boolean excludes = !lock.isShared() || !other.lock.isShared();
            if (excludes && lock.isValid() && other.isCertain(judge)) {
                judge.fail(visit.who + " has the lock of cell " + cell + ", and so has "
                        + other.client.process().name());
            }
        }
        cell.turns += lock.isShared() ? 0 : 1;
        Hold hold = new Hold(cell, visit.client, lock, cell.turns, judge.now());
        cell.holds.add(hold);
        visit.held.add(hold);
        return hold;
    }

    private void use(Visit visit) throws IOException {
        int powerLosses = visit.judge.powerLosses();
        List<Long> seen = new ArrayList<>();
        for (Hold hold : visit.held) {
            seen.add(look(hold, visit));
        }
        visit.rest();
        for (int i = 0; i < seen.size(); i++) {
            Hold hold = visit.held.get(i);
            if (hold.lock.isShared()) {
                long again = look(hold, visit);
                boolean mayBeLost = visit.judge.powerLosses() != powerLosses; // what nobody has synced
                if (again != seen.get(i) && !mayBeLost && hold.isLast() && hold.isCertain(visit.judge)) {
                    visit.judge.fail(visit.who + " reads " + again + " after " + seen.get(i)
                            + " under the shared lock of cell " + hold.cell);
                }
            } else {
                change(hold, visit);
            }
        }
    }

    private static long look(Hold hold, Visit visit) throws IOException {
        long number = visit.read(hold.cell);
        if (hold.isLast() && hold.isCertain(visit.judge) && !hold.cell.possible.contains(number)) {
            visit.judge.fail(visit.who + " reads " + number + " in cell " + hold.cell + ", which may be one of "
                    + hold.cell.possible);
        }
        return number;
    }

    private void change(Hold hold, Visit visit) throws IOException {
        long number = ++numbers;
        if (hold.isLast()) { // else it must not get there
            hold.cell.possible.add(number);
        }
        visit.judge.tell(visit.who + " writes " + number + " to cell " + hold.cell);
        visit.file.write(ByteBuffer.allocate(Long.BYTES).putLong(0, number), hold.cell.position());
        visit.file.sync();
        if (hold.isLast()) {
            hold.cell.possible.retainAll(Set.of(number));
        }
    }

    /** What a client finds in the end that has not seen the cells yet. */
    void judge(ClientHost fresh, Judge judge) throws IOException {
        for (List<Cell> cells : files) {
            try (RemoteFile file = fresh.mount().open(cells.get(0).path, OPTIONS, 0666)) {
                Visit visit = new Visit(fresh, "the judge", judge, new SplittableRandom(0), file, new ArrayList<>());
                for (Cell each : cells) {
                    long number = visit.read(each);
                    if (!each.possible.contains(number)) {
                        judge.fail(
                                "in the end cell " + each + " is " + number + ", which may be one of " + each.possible);
                    }
                }
            }
        }
    }
}
