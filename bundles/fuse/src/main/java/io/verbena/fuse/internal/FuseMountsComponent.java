package io.verbena.fuse.internal;

import io.verbena.fuse.FuseMount;
import io.verbena.fuse.FuseMounts;
import io.verbena.fuse.FuseSettings;
import io.verbena.fuse.internal.kernel.Kernel;
import io.verbena.fuse.internal.mount.NamedMounts;
import io.verbena.fuse.internal.mount.PresentMount;
import io.verbena.fuse.internal.session.MountedDirectory;
import io.verbena.nfs.Mount;
import io.verbena.nfs.MountOption;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SideBySide;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The service {@link FuseMounts}. Thread safe. */
@Component(service = FuseMounts.class)
public final class FuseMountsComponent implements FuseMounts {
    private static final Logger LOG = LoggerFactory.getLogger(FuseMountsComponent.class);
    /** How long written data may take to the server when the bundle stops. */
    private static final Duration END = Duration.ofSeconds(15);

    /** How many links in a row are followed, as Linux does. */
    private static final int MAX_LINKS = 40;

    private final Runtime runtime;
    private final NamedMounts mounts;
    private final List<MountedDirectory> all = new CopyOnWriteArrayList<>();

    @Activate
    public FuseMountsComponent(@Reference Runtime runtime) {
        this.runtime = runtime;
        this.mounts = new NamedMounts(runtime);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    public void addMount(Mount mount) {
        mounts.add(mount.name(), mount);
    }

    public void removeMount(Mount mount) {
        mounts.remove(mount);
    }

    /** Ends all mounts. Programs that use one of them lose it: their requests have nobody who answers. */
    @Deactivate
    public void deactivate() {
        endAll(runtime, List.copyOf(all));
    }

    static void endAll(Runtime runtime, List<? extends FuseMount> mounts) {
        List<SideBySide.Step> ends =
                mounts.stream().map(each -> (SideBySide.Step) () -> end(each)).toList();
        for (Throwable thrown : SideBySide.run(runtime, "fuse-end", ends)) {
            LOG.warn("a mount has not ended in order: {}", thrown.toString(), thrown);
        }
    }

    private static void end(FuseMount mounted) throws IOException, InterruptedException {
        try {
            mounted.unmount(false, END);
        } catch (IOException e) {
            LOG.warn("{}; its programs lose it, since the bundle stops", e.getMessage(), e);
            mounted.unmount(true, END);
        }
    }

    @Override
    public FuseMount mount(String mount, Path directory, FuseSettings settings) throws IOException {
        Path place = withoutLinks(directory);
        if (mountAt(place).isPresent()) {
            throw new IOException(LocalNames.shown(place) + " is a mount already: --unmount ends it");
        }
        requireDirectory(place);
        Kernel kernel = Kernel.load();
        if (!kernel.isRoot()) {
            throw new IOException("only root mounts: run it by sudo");
        }
        Duration swapTimeout = Duration.ofSeconds(Integer.parseInt(MountOption.SWAP_TIMEOUT.defaultValue()));
        PresentMount present = new PresentMount(mounts.source(mount, swapTimeout));
        MountedDirectory made = MountedDirectory.begin(runtime, kernel, present, place, settings, all::remove);
        all.add(made);
        if (made.hasEnded()) {
            all.remove(made);
        }
        return made;
    }

    private Optional<FuseMount> mountAt(Path place) {
        return all.stream()
                .filter(each -> each.directory().equals(place))
                .map(each -> (FuseMount) each)
                .findFirst();
    }

    /**
     * The place that a path names, as the kernel lists it; the path itself where it leads nowhere. What is mounted
     * there is not looked at, since its server may be silent.
     */
    private Path withoutLinks(Path path) {
        Path absolute = path.toAbsolutePath();
        try {
            Path at = absolute;
            for (int links = 0; links < MAX_LINKS; links++) {
                String name = at.getFileName() == null ? "." : at.getFileName().toString();
                if (name.equals(".") || name.equals("..")) {
                    return at.toRealPath();
                }
                Path parent = at.getParent().toRealPath();
                at = parent.resolve(at.getFileName());
                if (mountAt(at).isPresent() || !Files.isSymbolicLink(at)) {
                    return at;
                }
                at = parent.resolve(Files.readSymbolicLink(at));
            }
        } catch (IOException e) {
            LOG.debug("{} leads nowhere", absolute, e);
        }
        return absolute.normalize();
    }

    private static void requireDirectory(Path directory) throws IOException {
        boolean isDirectory;
        try {
            isDirectory =
                    Files.readAttributes(directory, BasicFileAttributes.class).isDirectory();
        } catch (NoSuchFileException e) {
            isDirectory = false;
        } catch (FileSystemException e) { // ENOTCONN, "Transport endpoint is not connected", where a mount is dead
            throw new IOException(
                    LocalNames.shown(directory) + " cannot be used: "
                            + Objects.requireNonNullElse(e.getReason(), "access is denied")
                            + "; where the process of a mount there was killed, 'umount " + LocalNames.shown(directory)
                            + "' ends the mount",
                    e);
        }
        if (!isDirectory) {
            throw new IOException("there is no directory " + LocalNames.shown(directory) + ": make it by mkdir");
        }
    }

    @Override
    public List<FuseMount> all() {
        return List.copyOf(all);
    }

    @Override
    public Optional<FuseMount> at(Path directory) {
        return mountAt(withoutLinks(directory));
    }
}
