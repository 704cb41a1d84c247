package io.verbena.cli.internal;

import io.verbena.cli.Failures;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.apache.karaf.shell.support.CommandException;

/**
 * A remote path and the mount that it is on; failures name it as the user does.
 *
 * @param mount where it is
 * @param remote how the user names it
 */
public record MountedPath(Mount mount, RemotePath remote) {
    /** Something done to a mount. */
    @FunctionalInterface
    public interface Operation {
        void run(Mount mount, String path) throws IOException;
    }

    /** Reads {@code NAME:/path}. */
    public static MountedPath parse(String text, Mounts mounts) throws CommandException {
        RemotePath remote = RemotePath.parse(text);
        return new MountedPath(mounts.get(remote.mount()), remote);
    }

    /** The path on the mount. */
    public String path() {
        return remote.path();
    }

    public MountedPath child(String name) {
        return new MountedPath(mount, remote.child(name));
    }

    /** Does something with it. */
    public void run(Operation operation) throws IOException {
        Failures.run(toString(), () -> operation.run(mount, path()));
    }

    public FileAttributes attributes(boolean followLink) throws IOException {
        return Failures.get(toString(), () -> mount.attributes(path(), followLink));
    }

    /** Its attributes, or empty where nothing is there. */
    public Optional<FileAttributes> find(boolean followLink) throws IOException {
        return Failures.get(toString(), () -> {
            try {
                return Optional.of(mount.attributes(path(), followLink));
            } catch (NoSuchFileException e) {
                return Optional.empty();
            }
        });
    }

    public boolean isDirectory() throws IOException {
        return find(true).filter(FileAttributes::isDirectory).isPresent();
    }

    /** What a directory holds, by name. */
    public List<DirectoryEntry> list() throws IOException {
        List<DirectoryEntry> entries = Failures.get(toString(), () -> new ArrayList<>(mount.list(path())));
        entries.sort(Comparator.comparing(DirectoryEntry::name));
        return entries;
    }

    public String readLink() throws IOException {
        return Failures.get(toString(), () -> mount.readLink(path()));
    }

    @Override
    public String toString() {
        return remote.toString();
    }
}
