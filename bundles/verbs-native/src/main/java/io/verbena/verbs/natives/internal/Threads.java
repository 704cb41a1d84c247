package io.verbena.verbs.natives.internal;

/** Making threads, and waiting for their end. */
final class Threads {
    private Threads() {}

    /** A daemon thread, not started. */
    static Thread make(String name, Runnable work) {
        Thread thread = new Thread(work, "native-" + name);
        thread.setDaemon(true);
        return thread;
    }

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
