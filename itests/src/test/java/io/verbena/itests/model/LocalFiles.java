package io.verbena.itests.model;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.FileType;
import io.verbena.nfs.Mount;
import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Files of this host through the interface Mount, as far as the model test uses it. */
public final class LocalFiles {
    private final int lostWrites;
    private int writes;
    private final List<LocalFile.Held> locks = new ArrayList<>();

    LocalFiles(int lostWrites) {
        this.lostWrites = lostWrites;
    }

    /** Whether this write has to be lost. */
    boolean losesWrite() {
        return lostWrites > 0 && ++writes % lostWrites == 0;
    }

    List<LocalFile.Held> locks() {
        return locks;
    }

    /** One of the mounts, with the methods of {@link Calls}. */
    Mount mount(int number) {
        Calls calls = new Calls(number);
        return (Mount) Proxy.newProxyInstance(
                LocalFiles.class.getClassLoader(), new Class<?>[] {Mount.class}, (proxy, method, arguments) -> {
                    Method own = Calls.class.getMethod(method.getName(), method.getParameterTypes());
                    try {
                        return own.invoke(calls, arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    /** The methods of Mount that the model test calls. */
    public final class Calls {
        private final int mount;

        private Calls(int mount) {
            this.mount = mount;
        }

        /** As Mount has it. */
        public RemoteFile open(String path, Set<? extends OpenOption> options, int mode) throws IOException {
            FileChannel channel = FileChannel.open(Path.of(path), new HashSet<>(options));
            BasicFileAttributes is = Files.readAttributes(Path.of(path), BasicFileAttributes.class);
            return new LocalFile(LocalFiles.this, mount, path, is.fileKey(), channel, Set.copyOf(options));
        }

        /** As Mount has it. */
        public FileAttributes attributes(String path, boolean followLink) throws IOException {
            PosixFileAttributes is =
                    Files.readAttributes(Path.of(path), PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            int mode = (int) Files.getAttribute(Path.of(path), "unix:mode");
            return told(is.size(), mode, is.lastModifiedTime().toInstant());
        }

        /** As Mount has it. */
        public FileAttributes setAttributes(String path, AttributeChanges changes, boolean followLink)
                throws IOException {
            if (changes.mode() != null) {
                Path unused = Files.setAttribute(Path.of(path), "unix:mode", changes.mode());
            }
            if (changes.modified() != null) {
                Path unused = Files.setLastModifiedTime(Path.of(path), FileTime.from(changes.modified()));
            }
            return attributes(path, followLink);
        }

        /** As Mount has it. */
        public void createDirectory(String path, int mode) throws IOException {
            Path unused = Files.createDirectory(Path.of(path));
        }

        /** As Mount has it. */
        public List<DirectoryEntry> list(String path) throws IOException {
            try (Stream<Path> paths = Files.list(Path.of(path))) {
                return paths.map(each -> new DirectoryEntry(each.getFileName().toString(), sized(0)))
                        .toList();
            }
        }

        /** As Mount has it. */
        public void remove(String path) throws IOException {
            Files.delete(Path.of(path));
        }

        /** As Mount has it. */
        public void rename(String from, String to) throws IOException {
            Path unused = Files.move(Path.of(from), Path.of(to), StandardCopyOption.REPLACE_EXISTING);
        }

        /** As Mount has it. */
        public void createLink(String path, String existing) throws IOException {
            Path unused = Files.createLink(Path.of(path), Path.of(existing));
        }
    }

    /** Attributes with a size; the other values have no meaning. */
    static FileAttributes sized(long size) {
        return told(size, 0, Instant.EPOCH);
    }

    private static FileAttributes told(long size, int mode, Instant modified) {
        return new FileAttributes(
                FileType.REGULAR, size, size, mode, 1, "", "", modified, modified, modified, 0, 0, 0, 0);
    }
}
