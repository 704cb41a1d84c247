package io.verbena.simulation.disk;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.random.RandomGenerator;

/**
 * The changes of names and attributes that are not yet on stable storage, in their order. They reach it in that order:
 * a crash leaves a first part of them. A mark is the count of transactions since the disk was made.
 */
final class Journal {
    /** The most that is kept; beyond that the first half is committed, as when a journal is full. */
    private static final int MAX_OPEN = 1 << 15;

    private final Deque<Transaction> open = new ArrayDeque<>();
    private long committed;

    /** The mark behind the last transaction. */
    long end() {
        return committed + open.size();
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    void add(Transaction transaction) {
        if (open.size() >= MAX_OPEN) {
            commit(committed + MAX_OPEN / 2);
        }
        open.addLast(transaction);
        long end = end();
        for (Edit edit : transaction.edits()) {
            edit.inode().lastChange = end;
        }
    }

    /** Adds a change of attributes alone. It takes the place of such a change of the same object right before it. */
    void change(Inode inode, Attributes attributes) {
        if (attributes.equals(inode.attributes)) {
            return;
        }
        Transaction last = open.peekLast();
        if (last != null && last.isOnlyChangeOf(inode)) {
            open.removeLast();
        }
        add(new Transaction().change(inode, attributes));
    }

    /** Commits all transactions before a mark. */
    void commit(long mark) {
        while (committed < mark && !open.isEmpty()) {
            open.removeFirst().edits().forEach(Edit::commit);
            committed++;
        }
    }

    /** Commits a random first part: none, all, or anything in between. */
    void commitSome(RandomGenerator random) {
        int count = open.size();
        int choice = random.nextInt(4);
        if (choice > 0) {
            commit(committed + (choice == 1 ? count : random.nextInt(count + 1)));
        }
    }

    /** Forgets what is not committed. All marks that were handed out count as committed. */
    void drop() {
        long end = end();
        open.clear();
        committed = end;
    }
}
