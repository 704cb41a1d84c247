package io.verbena.nfs.transfer.internal.engine;

import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.CopyOptions;
import io.verbena.nfs.transfer.CopySummary;
import io.verbena.nfs.transfer.Location;
import io.verbena.nfs.transfer.MountSuccessors;
import io.verbena.nfs.transfer.fixture.DirectoryMount;
import io.verbena.runtime.SystemRuntime;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** An engine, and mounts of a directory that come and go as in a container. */
final class MountHost implements MountSuccessors, AutoCloseable {
    private Path served;
    private final Map<String, DirectoryMount> mounts = new HashMap<>();
    private final List<DirectoryMount> gone = new ArrayList<>();
    private final Set<String> away = new HashSet<>();
    private final TransferEngine engine = new TransferEngine();
    private DirectoryMount.Hook hook = (operation, path, position) -> {};

    /**
     * Creates an engine and its mounts.
     *
     * @param served the directory that every mount shows
     */
    MountHost(Path served) {
        this.served = served;
    }

    TransferEngine engine() {
        return engine;
    }

    /** Returns an engine that splits large files into ranges of the given size in octets. */
    TransferEngine engine(long stretch) {
        return new TransferEngine(new SystemRuntime(), stretch);
    }

    /** Copies, and throws if any file fails. */
    CopySummary run(List<Location> sources, Location target, CopyOptions options)
            throws IOException, InterruptedException {
        return engine.copy(sources, target, options).run().orThrow();
    }

    /** Parses {@code NAME:/path}. */
    synchronized Location at(String text) {
        int colon = text.indexOf(':');
        Location location = Location.of(mounts.get(text.substring(0, colon)), text.substring(colon + 1))
                .withSuccessors(this);
        return text.endsWith("/") ? location.asDirectory() : location;
    }

    /** Parses a local path. */
    static Location local(String text) {
        Location location = Location.of(LocalNames.path(text)).named(OctetText.escape(text));
        return text.endsWith("/") ? location.asDirectory() : location;
    }

    /** Sets the hook of the mounts that are created from now on. */
    synchronized void hook(DirectoryMount.Hook newHook) {
        hook = newHook;
    }

    synchronized DirectoryMount mount(String name) {
        DirectoryMount mount = new DirectoryMount(name, served);
        mount.hook(hook);
        mounts.put(name, mount);
        away.remove(name);
        notifyAll();
        return mount;
    }

    /** Removes the client's bundle and adds it again. */
    synchronized DirectoryMount replace(String name) {
        takeAway(name);
        return comeBack(name);
    }

    /** Adds the client's bundle again. */
    synchronized DirectoryMount comeBack(String name) {
        return mount(name);
    }

    /** Removes the client's bundle. */
    synchronized void takeAway(String name) {
        DirectoryMount old = mounts.get(name);
        old.setReplaced();
        gone.add(old);
        away.add(name);
    }

    /**
     * Gives the address of the server to another server. Mounts that are created from now on show another directory.
     */
    synchronized void serve(Path directory) {
        served = directory;
    }

    @Override
    public synchronized Mount successor(Mount old) throws IOException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (away.contains(old.name()) || mounts.get(old.name()) == old) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new IOException("mount '" + old.name() + "' has not come");
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return mounts.get(old.name());
    }

    @Override
    public synchronized void close() {
        engine.close();
        mounts.values().forEach(DirectoryMount::close);
        gone.forEach(DirectoryMount::close);
    }
}
