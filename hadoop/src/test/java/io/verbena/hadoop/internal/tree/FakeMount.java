package io.verbena.hadoop.internal.tree;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.DirectoryListing;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileAttributes.FileKey;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.NfsException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** A server of names, to which somebody else does something within a call. Belongs to one thread. */
final class FakeMount {
    final Map<String, FileAttributes> objects = new TreeMap<>();

    /** What happens within the next such call, before it is executed: by the call and its path. */
    final Map<String, Meanwhile> meanwhile = new HashMap<>();

    /** The objects that listings cannot describe. */
    final Set<String> undescribed = new HashSet<>();

    /** The text of all symbolic links. */
    String linkText = "target";

    /** The modes with which directories were created. */
    final Map<String, Integer> modes = new TreeMap<>();

    final Mount mount = (Mount) Proxy.newProxyInstance(
            Mount.class.getClassLoader(),
            new Class<?>[] {Mount.class},
            (self, method, arguments) -> switch (method.getName()) {
                case "removeAsync" -> java.lang.reflect.InvocationHandler.invokeDefault(self, method, arguments);
                default -> call(method.getName(), (String) arguments[0], arguments);
            });

    /** What somebody else does; may throw what the call fails with. */
    interface Meanwhile {
        void happens() throws IOException;
    }

    static FileAttributes attributes(FileType type, long id) {
        Instant time = Instant.EPOCH;
        return new FileAttributes(type, 0, 0, 0_755, 1, "0", "0", time, time, time, 1, 1, id, 1);
    }

    void put(String path, FileType type, long id) {
        objects.put(path, attributes(type, id));
    }

    private Object call(String method, String path, Object[] arguments) throws IOException {
        Meanwhile before = meanwhile.remove(method + " " + path);
        if (before != null) {
            before.happens();
        }
        return switch (method) {
            case "attributes" -> {
                if (arguments[1] instanceof FileKey directory) {
                    requireSame(path.substring(0, path.lastIndexOf('/')), directory);
                }
                yield find(path);
            }
            case "entries" -> entries(path);
            case "listing" -> {
                requireSame(path, (FileKey) arguments[1]);
                yield DirectoryListing.of(entries(path).iterator());
            }
            case "readLink" -> linkText;
            case "createDirectory" -> {
                modes.put(path, (int) arguments[1]);
                yield add(path, attributes(FileType.DIRECTORY, path.hashCode()));
            }
            case "createLink" -> add(path, find((String) arguments[1]));
            case "remove" -> {
                if (arguments.length > 1) {
                    requireSame(path.substring(0, path.lastIndexOf('/')), (FileKey) arguments[1]);
                }
                yield objects.remove(path, find(path));
            }
            case "rename" -> {
                FileAttributes moved = find(path);
                objects.remove(path);
                yield objects.put((String) arguments[1], moved);
            }
            default -> throw new AssertionError(method);
        };
    }

    private FileAttributes find(String path) throws NoSuchFileException {
        FileAttributes found = path.equals("/") ? attributes(FileType.DIRECTORY, 1) : objects.get(path);
        if (found == null) {
            throw new NoSuchFileException(path);
        }
        return found;
    }

    private void requireSame(String directory, FileKey seen) throws IOException {
        if (!FileKey.of(find(directory)).equals(seen)) {
            throw new NfsException("work:" + directory, "NFS4ERR_NOT_SAME", "another object is there by now");
        }
    }

    private Object add(String path, FileAttributes made) throws FileAlreadyExistsException {
        if (objects.putIfAbsent(path, made) != null) {
            throw new FileAlreadyExistsException(path);
        }
        return null;
    }

    private List<DirectoryEntry> entries(String directory) throws NoSuchFileException {
        FileAttributes unused = find(directory);
        NfsException failure = new NfsException("work:" + directory, "NFS4ERR_IO", "it cannot be described");
        String prefix = directory.endsWith("/") ? directory : directory + "/";
        List<DirectoryEntry> entries = new ArrayList<>();
        objects.forEach((path, attributes) -> {
            if (path.startsWith(prefix) && path.indexOf('/', prefix.length()) < 0) {
                String name = path.substring(prefix.length());
                entries.add(
                        undescribed.contains(path)
                                ? new DirectoryEntry(name, DirectoryEntry.NO_ATTRIBUTES, Optional.of(failure))
                                : new DirectoryEntry(name, attributes));
            }
        });
        return entries;
    }
}
