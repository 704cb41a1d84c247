package io.verbena.standalone;

import com.google.errorprone.annotations.concurrent.GuardedBy;

/** One stack for all users: created for the first user, closed after the last one. Thread safe. */
final class SharedStack {
    @GuardedBy("this")
    private Stack stack;

    @GuardedBy("this")
    private int users;

    synchronized Stack acquire() {
        if (stack == null) {
            stack = new Stack();
        }
        users++;
        return stack;
    }

    synchronized void release() {
        users--;
        if (users == 0) {
            Stack last = stack;
            stack = null;
            last.close();
        }
    }
}
