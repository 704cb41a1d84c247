package io.verbena.memory.internal;

import java.util.Set;

/** A listener with an identity of its own: the same task may be added twice. */
final class PressureListener implements Runnable {
    private final Runnable giveBack;

    private PressureListener(Runnable giveBack) {
        this.giveBack = giveBack;
    }

    /** Adds a listener; the returned task removes it. */
    static Runnable add(Set<Runnable> all, Runnable giveBack) {
        PressureListener listener = new PressureListener(giveBack);
        all.add(listener);
        return () -> all.remove(listener);
    }

    @Override
    public void run() {
        giveBack.run();
    }
}
