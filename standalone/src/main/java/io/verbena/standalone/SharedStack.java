package io.verbena.standalone;

/** One stack for all who need it, made for the first of them and closed after the last. Thread safe. */
final class SharedStack {
    private Stack stack;
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
