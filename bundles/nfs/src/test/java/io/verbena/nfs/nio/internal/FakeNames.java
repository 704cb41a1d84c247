package io.verbena.nfs.nio.internal;

import io.verbena.nfs.CreateVerifier;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountReplacedException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs.UndecidedException;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A server of names in one directory, and mounts of it. One call of a mount or of its files is disturbed. Belongs to
 * one thread.
 */
final class FakeNames implements AutoCloseable {
    /** What happens at the disturbed call. */
    enum Disturbance {
        /** The mount is replaced, and the call is refused. */
        REFUSED,
        /** The mount is replaced; the call was sent and did not arrive. */
        LOST_BEFORE,
        /** The mount is replaced; the call was executed, and its answer is lost. */
        LOST_AFTER,
        /** The call is answered, and the mount is replaced before the next one. */
        ANSWERED,
        /** The session is lost with the answer, and the mount executes the call again. */
        SESSION_LOST
    }

    private static final Set<String> CHANGES =
            Set.of("createDirectory", "createSymbolicLink", "createLink", "remove", "rename");

    private final NfsFileSystemProvider provider = new NfsFileSystemProvider();
    private final NfsFileSystem files;
    private final Map<String, Entry> entries = new TreeMap<>();
    private final Disturbance disturbance;
    private final boolean keepsVerifiers;
    private Mount mount;
    private int left;
    private long ids = 10;
    private long changes;
    private Runnable meanwhile = () -> {};
    private String disturbed;

    /**
     * @param held the text of a link, else null
     * @param change the change attribute
     */
    private record Entry(FileType type, long id, String held, long verifier, long change) {}

    /**
     * @param call the number of the call that is disturbed, from 1 on
     * @param keepsVerifiers whether the server finds a file again by the verifier of its creation
     */
    FakeNames(Disturbance disturbance, int call, boolean keepsVerifiers) {
        this.disturbance = disturbance;
        this.keepsVerifiers = keepsVerifiers;
        left = call;
        mount = come();
        files = (NfsFileSystem) provider.getFileSystem(URI.create("nfs+rdma:work"));
        entries.put("/file", entry(FileType.REGULAR, 1, null, 0));
    }

    Path path(String name) {
        return files.getPath(name);
    }

    Set<String> names() {
        return entries.keySet();
    }

    /** The number of the object of a name; 0 for none. */
    long id(String name) {
        return entries.containsKey(name) ? entries.get(name).id() : 0;
    }

    /** Another process does this when the mount is replaced. */
    void meanwhile(Runnable step) {
        meanwhile = step;
    }

    /** Another process puts an object there. */
    void put(String name, FileType type, long id, String held) {
        entries.put(name, entry(type, id, held, 0));
    }

    private Entry entry(FileType type, long id, String held, long verifier) {
        return new Entry(type, id, held, verifier, ++changes);
    }

    /** Whether the disturbed call has changed names, and its answer is lost. */
    boolean isAnswerOfAChangeLost() {
        return (disturbance == Disturbance.LOST_AFTER || disturbance == Disturbance.SESSION_LOST)
                && disturbed != null
                && CHANGES.contains(disturbed);
    }

    /** Whether the disturbed call has come. */
    boolean isDisturbed() {
        return left <= 0;
    }

    private Mount come() {
        boolean[] isGone = new boolean[1];
        Mount made = (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(),
                new Class<?>[] {Mount.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "name", "toString" -> "work";
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == args[0];
                    case "settings" -> Map.of();
                    default -> call(isGone, method, args);
                });
        provider.addMount(made);
        return made;
    }

    private RemoteFile file(boolean[] isGone, String path) {
        return (RemoteFile) Proxy.newProxyInstance(
                RemoteFile.class.getClassLoader(),
                new Class<?>[] {RemoteFile.class},
                (proxy, method, args) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == args[0];
                    case "close" -> null; // the mount has closed it with its end
                    default -> call(isGone, method, new Object[] {path});
                });
    }

    private void replace(boolean[] isGone) {
        isGone[0] = true;
        Mount gone = mount;
        mount = come();
        provider.removeMount(gone);
        meanwhile.run();
    }

    private Object call(boolean[] isGone, Method method, Object[] args) throws IOException {
        if (isGone[0]) {
            throw new MountReplacedException("work", false);
        }
        left--;
        if (left != 0) {
            return execute(isGone, method.getName(), args);
        }
        disturbed = method.getName();
        switch (disturbance) {
            case REFUSED, LOST_BEFORE -> {
                replace(isGone);
                throw new MountReplacedException("work", disturbance == Disturbance.LOST_BEFORE);
            }
            case LOST_AFTER -> {
                Object unused = execute(isGone, method.getName(), args);
                replace(isGone);
                throw new MountReplacedException("work", true);
            }
            case ANSWERED -> {
                Object answer = execute(isGone, method.getName(), args);
                replace(isGone);
                return answer;
            }
            default -> {
                Object unused = execute(isGone, method.getName(), args);
                return again(isGone, method.getName(), args);
            }
        }
    }

    /** As a mount does after the loss of a session. */
    private Object again(boolean[] isGone, String method, Object[] args) throws IOException {
        try {
            return execute(isGone, method, args);
        } catch (FileAlreadyExistsException | NoSuchFileException e) {
            if (!CHANGES.contains(method)) {
                throw e;
            }
            UndecidedException undecided = new UndecidedException("work:" + args[0], "NFS4ERR_EXIST", "not known");
            undecided.initCause(e);
            throw undecided;
        }
    }

    private Object execute(boolean[] isGone, String method, Object[] args) throws IOException {
        String path = (String) args[0];
        switch (method) {
            case "attributes" -> {
                Entry found = path.equals("/") ? entry(FileType.DIRECTORY, 2, null, 0) : find(path);
                return attributes(found);
            }
            case "readLink" -> {
                return find(path).held();
            }
            case "open" -> open(path, (Set<?>) args[1]);
            case "createDirectory" -> add(path, entry(FileType.DIRECTORY, ids++, null, 0));
            case "createSymbolicLink" -> add(path, entry(FileType.SYMBOLIC_LINK, ids++, (String) args[1], 0));
            case "createLink" -> add(path, find((String) args[1]));
            case "remove" -> {
                Entry unused = find(path);
                entries.remove(path);
            }
            case "rename" -> {
                Entry moved = find(path);
                entries.remove(path);
                entries.put((String) args[1], moved);
            }
            default -> throw new AssertionError(method);
        }
        return method.equals("open") ? file(isGone, path) : null;
    }

    private static FileAttributes attributes(Entry entry) {
        Instant time = Instant.ofEpochSecond(entry.change());
        return new FileAttributes(
                entry.type(), 0, 0, 0755, 1, "o", "g", time, time, time, 1, 1, entry.id(), entry.change());
    }

    private Entry find(String path) throws NoSuchFileException {
        Entry found = entries.get(path);
        if (found == null) {
            throw new NoSuchFileException(path);
        }
        return found;
    }

    private void add(String path, Entry entry) throws FileAlreadyExistsException {
        if (entries.containsKey(path)) {
            throw new FileAlreadyExistsException(path);
        }
        entries.put(path, entry);
    }

    private void open(String path, Set<?> options) throws IOException {
        long verifier = options.stream()
                .filter(CreateVerifier.class::isInstance)
                .map(CreateVerifier.class::cast)
                .findFirst()
                .map(CreateVerifier::value)
                .orElse(0L);
        boolean isNew = verifier != 0 || options.contains(StandardOpenOption.CREATE_NEW);
        Entry found = entries.get(path);
        if (isNew && found != null && keepsVerifiers && verifier != 0 && found.verifier() == verifier) {
            return;
        }
        if (isNew) {
            add(path, entry(FileType.REGULAR, ids++, null, verifier));
        } else {
            Entry unused = find(path);
        }
    }

    @Override
    public void close() throws IOException {
        files.close();
    }
}
