package io.verbena.verbs.iwarp.internal;

/** Waiting for threads to end. */
final class Threads {
    private Threads() {}

    /** Waits until the thread has ended, whatever comes, unless that would be to wait for ourselves. */
    static void joinUnlessCurrent(Thread thread) {
        boolean interrupted = false;
        while (thread != Thread.currentThread() && thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
