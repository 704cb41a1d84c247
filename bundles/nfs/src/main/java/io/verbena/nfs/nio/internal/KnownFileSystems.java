package io.verbena.nfs.nio.internal;

import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import java.io.IOException;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The file systems of a provider, and where the mounts of the next ones come from. Thread safe. */
final class KnownFileSystems {
    private final NfsFileSystemProvider provider;
    private final List<NfsFileSystem> open = new ArrayList<>();
    private final Present<Mount> mounts = new Present<>();
    private final Factories factories = new Factories();

    KnownFileSystems(NfsFileSystemProvider provider) {
        this.provider = provider;
    }

    /** Those that have names. */
    Present<Mount> mounts() {
        return mounts;
    }

    Factories factories() {
        return factories;
    }

    /** One more over the mount of a source, whatever others there are. */
    NfsFileSystem over(NfsUri uri, MountSource source) {
        return register(new NfsFileSystem(provider, uri, source, Settings.USUAL));
    }

    /**
     * A new one.
     *
     * @throws FileSystemAlreadyExistsException where there is one of that root
     */
    NfsFileSystem add(NfsUri root, Settings settings) {
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

    /** Closes all, whichever fails. */
    void closeAll() throws IOException {
        List<NfsFileSystem> all;
        synchronized (open) {
            all = List.copyOf(open);
        }
        IOException failed = null;
        for (NfsFileSystem fileSystem : all) {
            try {
                fileSystem.close();
            } catch (IOException e) {
                if (failed == null) {
                    failed = e;
                } else {
                    failed.addSuppressed(e);
                }
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private NfsFileSystem make(NfsUri root, Settings settings) {
        Duration patience = Duration.ofSeconds(root.options().number(MountOption.SWAP_TIMEOUT));
        MountSource source =
                root.mount() != null ? new NamedMount(root.mount(), mounts, patience) : new OwnMount(root, factories);
        return new NfsFileSystem(provider, root, source, settings);
    }

    /** The file system that the URI lies in: of several that of the longest export, and of those the first. */
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
     * The one that the URI lies in; that of a mount that has a name is made where there is none.
     *
     * @throws FileSystemNotFoundException where there is none, nor a mount of that name
     */
    NfsFileSystem get(NfsUri uri) {
        if (uri.mount() != null) {
            return ofName(uri);
        }
        return find(uri)
                .orElseThrow(() -> new FileSystemNotFoundException(uri.of("/").toString()));
    }

    /** As {@link #get}, and that of a server that has a name too. */
    NfsFileSystem getOrMake(NfsUri uri) {
        return uri.mount() != null ? ofName(uri) : ofServer(uri);
    }

    /** A mount that has a name is a file system as long as it is there. */
    private NfsFileSystem ofName(NfsUri named) {
        synchronized (open) {
            Optional<NfsFileSystem> found = find(named);
            if (found.isEmpty() && mounts.find(named.mount(), mount -> true).isEmpty()) {
                throw new FileSystemNotFoundException(
                        named.of(named.export()) + ": there is no mount '" + named.mount() + "'");
            }
            NfsUri root = new NfsUri(named.mount(), null, "/", named.options());
            return found.orElseGet(() -> register(make(root, Settings.USUAL)));
        }
    }

    /** The server's root, mounted when it is used first. */
    private NfsFileSystem ofServer(NfsUri named) {
        synchronized (open) {
            NfsUri root = new NfsUri(null, named.server(), "/", named.explicit().options());
            return find(named).orElseGet(() -> register(make(root, Settings.USUAL)));
        }
    }
}
