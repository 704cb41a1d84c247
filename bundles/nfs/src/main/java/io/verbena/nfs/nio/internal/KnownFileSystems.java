package io.verbena.nfs.nio.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.nfs.nio.internal.mount.Closing;
import io.verbena.nfs.nio.internal.mount.ManagedMount;
import io.verbena.nfs.nio.internal.mount.MountFactories;
import io.verbena.nfs.nio.internal.mount.MountSource;
import io.verbena.nfs.nio.internal.mount.NamedMount;
import io.verbena.nfs.nio.internal.mount.NamedServices;
import io.verbena.nfs.nio.internal.mount.NfsUri;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SideBySide;
import java.io.IOException;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The open file systems of a provider, and the sources of mounts for further ones. Thread safe. */
final class KnownFileSystems {
    private final NfsFileSystemProvider provider;

    @GuardedBy("open")
    private final List<NfsFileSystem> open = new ArrayList<>();

    private final Runtime runtime;
    private final NamedServices<Mount> mounts;
    private final MountFactories factories;

    KnownFileSystems(NfsFileSystemProvider provider, Runtime runtime) {
        this.provider = provider;
        this.runtime = runtime;
        mounts = new NamedServices<>(runtime);
        factories = new MountFactories(runtime);
    }

    /** The Mount services, by name. */
    NamedServices<Mount> mounts() {
        return mounts;
    }

    MountFactories factories() {
        return factories;
    }

    /** Adds a file system over the mount of a source, even if there are others of that URI. */
    NfsFileSystem over(NfsUri uri, MountSource source) {
        return register(new NfsFileSystem(provider, uri, source, FileSystemSettings.USUAL, runtime));
    }

    /**
     * Adds a file system.
     *
     * @throws FileSystemAlreadyExistsException if there is one of that root
     */
    NfsFileSystem add(NfsUri root, FileSystemSettings settings) {
        synchronized (open) {
            if (open.stream().anyMatch(fileSystem -> fileSystem.uri().equals(root))) {
                throw new FileSystemAlreadyExistsException(root.of("/").toString());
            }
            return register(make(root, settings));
        }
    }

    private NfsFileSystem register(NfsFileSystem fileSystem) {
        synchronized (open) {
            open.add(fileSystem);
        }
        return fileSystem;
    }

    void forget(NfsFileSystem fileSystem) {
        synchronized (open) {
            open.remove(fileSystem);
        }
    }

    /** Closes all file systems side by side, since each may wait for its server, and even if some fail to close. */
    void closeAll() throws IOException {
        List<NfsFileSystem> all;
        synchronized (open) {
            all = List.copyOf(open);
        }
        List<SideBySide.Step> closes =
                all.stream().map(each -> (SideBySide.Step) each::close).toList();
        Closing closing = new Closing();
        SideBySide.run(runtime, "verbena-nio-close", closes).forEach(closing::failed);
        closing.end();
    }

    private NfsFileSystem make(NfsUri root, FileSystemSettings settings) {
        Duration swapTimeout = Duration.ofSeconds(root.options().number(MountOption.SWAP_TIMEOUT));
        MountSource source = root.mount() != null
                ? new NamedMount(root.mount(), mounts, swapTimeout)
                : new ManagedMount(root, factories, settings.user());
        return new NfsFileSystem(provider, root, source, settings, runtime);
    }

    /** The file system that the URI lies in. Of several, the one with the longest export; of these, the first. */
    private Optional<NfsFileSystem> find(NfsUri uri) {
        synchronized (open) {
            NfsFileSystem best = null;
            for (NfsFileSystem fileSystem : open) {
                boolean longer = best == null
                        || fileSystem.uri().export().length()
                                > best.uri().export().length();
                if (longer && uri.isWithin(fileSystem.uri())) {
                    best = fileSystem;
                }
            }
            return Optional.ofNullable(best);
        }
    }

    /**
     * The file system that the URI lies in. The file system of a mount with a name is made if there is none.
     *
     * @throws FileSystemNotFoundException if there is neither a file system nor a mount of that name
     */
    NfsFileSystem get(NfsUri uri) {
        if (uri.mount() != null) {
            return ofName(uri);
        }
        return find(uri)
                .orElseThrow(() -> new FileSystemNotFoundException(uri.of("/").toString()));
    }

    /** As {@link #get}, but makes the file system of a server, too. */
    NfsFileSystem getOrMake(NfsUri uri) {
        return uri.mount() != null ? ofName(uri) : ofServer(uri);
    }

    /** The file system of a mount with a name, made if there is none. */
    private NfsFileSystem ofName(NfsUri named) {
        synchronized (open) {
            Optional<NfsFileSystem> found = find(named);
            if (found.isEmpty() && mounts.find(named.mount(), mount -> true).isEmpty()) {
                throw new FileSystemNotFoundException(
                        named.of(named.export()) + ": there is no mount '" + named.mount() + "'");
            }
            NfsUri root = new NfsUri(named.mount(), null, "/", named.options());
            return found.orElseGet(() -> register(make(root, FileSystemSettings.USUAL)));
        }
    }

    /**
     * The file system that the URI of a server lies in, or a new one of the server's root, which mounts when it is used
     * first.
     */
    private NfsFileSystem ofServer(NfsUri named) {
        synchronized (open) {
            NfsUri root = new NfsUri(null, named.server(), "/", named.explicit().options());
            return find(named).orElseGet(() -> register(make(root, FileSystemSettings.USUAL)));
        }
    }
}
