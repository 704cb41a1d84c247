package io.verbena.nfs.transfer.internal.remote;

import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.Mount;
import io.verbena.nfs.transfer.internal.tree.FileEntry;
import io.verbena.nfs.transfer.walk.FileKey;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The directories that one copy has found or made, by their paths. The copy works in these directories only: another
 * object that has the path later, such as a symbolic link of another client, is no such directory. Thread safe.
 */
final class SeenDirectories {
    /** The ends of the paths of directories that are not reached by a name: the root, and where the user wrote dots. */
    private static final Set<String> NAMELESS = Set.of("", ".", "..");

    private final Map<String, FileKey> keys = new ConcurrentHashMap<>();

    /** The paths of directories that were to be made, and that nobody has seen since. */
    private final Set<String> unseen = ConcurrentHashMap.newKeySet();

    /** The paths of files that the user may have named by a symbolic link. */
    private final Set<String> followed = ConcurrentHashMap.newKeySet();

    /**
     * Notes an object that was found. The first directory at a path counts.
     *
     * @param isFollowed whether a symbolic link may have led to the object
     */
    void found(String path, FileEntry entry, boolean isFollowed) {
        if (entry.isDirectory()) {
            keys.putIfAbsent(path, entry.key());
            unseen.remove(path);
        } else if (isFollowed) {
            followed.add(path);
        }
    }

    /** Notes that a directory is to be made: until it is found, there is none at the path to work in. */
    void toBeMade(String path) {
        unseen.add(path);
        keys.remove(path);
    }

    /** Notes that an object has another path. */
    void renamed(String from, String to) {
        FileKey key = keys.remove(from);
        if (key == null) {
            keys.remove(to);
        } else {
            keys.put(to, key);
        }
    }

    /** Notes that this copy has removed an object. */
    void removed(String path) {
        keys.remove(path);
    }

    /** Returns the directory that holds a name to open, as {@link #at} does; null if a link there is followed. */
    FileAttributes.FileKey aboveUnlessFollowed(Mount on, String path) throws NoSuchFileException {
        return followed.contains(path) ? null : above(on, path);
    }

    /**
     * Returns the directory at a path; null if the copy need not have seen it, or it was on another server.
     *
     * @throws NoSuchFileException if the directory could not be made
     */
    FileAttributes.FileKey at(Mount on, String path) throws NoSuchFileException {
        FileKey key = keys.get(path);
        if (key == null && unseen.contains(path)) {
            throw new NoSuchFileException(path, null, "the directory was not made");
        }
        return key != null && key.place().equals(on.source()) ? key.onServer() : null;
    }

    /** Returns the directory that holds a name, as {@link #at} does; null if the path ends with no name of its own. */
    FileAttributes.FileKey above(Mount on, String path) throws NoSuchFileException {
        int slash = path.lastIndexOf('/');
        boolean hasName = !NAMELESS.contains(path.substring(slash + 1));
        return hasName ? at(on, slash <= 0 ? "/" : path.substring(0, slash)) : null;
    }
}
