package io.verbena.runtime;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;

/** Makes daemon threads that are named {@code prefix-1}, {@code prefix-2} and so on, and knows the threads it made. */
final class NamedThreads implements ThreadFactory {
    private final String prefix;
    private final ThreadFactory plain = Executors.defaultThreadFactory(); // which gives each the normal priority

    /** Weak, since a thread that has ended still refers to its context class loader. */
    @GuardedBy("this")
    private final Map<Thread, Boolean> made = new WeakHashMap<>();

    @GuardedBy("this")
    private int number;

    NamedThreads(String prefix) {
        this.prefix = prefix;
    }

    @Override
    public synchronized Thread newThread(Runnable task) {
        Thread thread = plain.newThread(task);
        thread.setName(prefix + "-" + ++number);
        thread.setDaemon(true);
        made.put(thread, true);
        return thread;
    }

    /** The threads so far; perhaps without those that have ended. */
    synchronized List<Thread> made() {
        return new ArrayList<>(made.keySet());
    }
}
