package io.verbena.fuse.internal.kernel;

import com.kenai.jffi.LastError;
import com.kenai.jffi.Library;
import io.verbena.fuse.FuseSettings;
import io.verbena.text.LocalNames;
import io.verbena.text.OctetText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import jnr.ffi.LibraryLoader;

/**
 * The kernel's side: the device, mount(2) and umount2(2). Thread safe.
 *
 * <p>The C library is called through jnr-ffi: java.nio would hold one lock over the reads and the writes of a device.
 */
public final class Kernel {
    /** The longest READ and WRITE, in octets. */
    public static final int MAX_TRANSFER = 1 << 20;

    /** How many octets the kernel reads ahead at most. */
    public static final int MAX_READ_AHEAD = 4 << 20;

    private static final Path DEVICE = Path.of("/dev/fuse");
    private static final String[] LIBRARIES = {"libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1"};

    private static final int O_RDWR = 2;
    private static final int O_CLOEXEC = 02000000;
    private static final int MS_RDONLY = 1;
    private static final int MS_NOSUID = 2;
    private static final int MS_NODEV = 4;
    private static final int MNT_FORCE = 1;
    private static final int MNT_DETACH = 2;

    private final KernelLibrary library;

    private Kernel(KernelLibrary library) {
        this.library = library;
    }

    /**
     * Loads the C library.
     *
     * @throws IOException if this host cannot mount, with the reason and what to do
     */
    public static Kernel load() throws IOException {
        if (!System.getProperty("os.name").equals("Linux")) {
            throw new IOException("only Linux has /dev/fuse: use the commands of nfs: or java.nio instead");
        }
        if (!Files.exists(DEVICE)) {
            throw new IOException("there is no /dev/fuse: load it by 'modprobe fuse', or give it to this container");
        }
        try {
            for (String name : LIBRARIES) {
                if (Library.openLibrary(name, Library.LAZY | Library.LOCAL) != null) {
                    return new Kernel(LibraryLoader.create(KernelLibrary.class)
                            .failImmediately()
                            .load(name));
                }
            }
        } catch (Throwable e) {
            throw new IOException("the C library cannot be called: is the bundle io.verbena.jnr started? " + e, e);
        }
        throw new IOException("no C library can be loaded, of " + String.join(", ", LIBRARIES));
    }

    /** Whether this process may mount without a helper. */
    public boolean isRoot() {
        return library.geteuid() == 0;
    }

    /** The user that this process runs as. */
    public int uid() {
        return library.geteuid();
    }

    /** The group that this process runs as. */
    public int gid() {
        return library.getegid();
    }

    /**
     * Mounts.
     *
     * @param source what the kernel's list of mounts shows, as {@code HOST:/export}
     * @param directory an existing directory
     * @return the device of the mount, open
     */
    public Device mount(String source, Path directory, FuseSettings settings) throws IOException {
        int fd = library.open(octets(DEVICE.toString()), O_RDWR | O_CLOEXEC);
        if (fd < 0) {
            throw new IOException(
                    "cannot open /dev/fuse (error " + errno() + "): root opens it, and a container that is given it");
        }
        boolean done = false;
        try {
            int flags = MS_NOSUID | MS_NODEV | (settings.readOnly() ? MS_RDONLY : 0);
            String data = "fd=" + fd + ",rootmode=40000,user_id=" + library.getuid() + ",group_id=" + library.getgid()
                    + ",max_read=" + MAX_TRANSFER + (settings.allowOther() ? ",allow_other,default_permissions" : "");
            byte[] target = octets(LocalNames.text(directory));
            if (library.mount(octets(source), target, octets("fuse.verbena"), flags, octets(data)) != 0) {
                int errno = errno();
                throw new IOException("cannot mount at " + LocalNames.shown(directory) + " (error " + errno + "): "
                        + (errno == Errno.EPERM ? "only root mounts" : "is it a directory that can be mounted on?"));
            }
            done = true;
            return new Device(library, fd);
        } finally {
            if (!done) {
                int unused = library.close(fd);
            }
        }
    }

    /**
     * Unmounts.
     *
     * @param force whether requests that wait end with an error, and programs that use it keep a dead directory
     * @return 0, or the error number
     */
    public int unmount(Path directory, boolean force) {
        byte[] target = octets(LocalNames.text(directory));
        int result = library.umount2(target, force ? MNT_FORCE : 0);
        int errno = result == 0 ? 0 : errno();
        if (errno == Errno.EBUSY && force) {
            errno = library.umount2(target, MNT_FORCE | MNT_DETACH) == 0 ? 0 : errno();
        }
        return errno;
    }

    static int errno() {
        return LastError.getInstance().get();
    }

    private static byte[] octets(String text) {
        byte[] octets = OctetText.encode(text);
        return Arrays.copyOf(octets, octets.length + 1); // the zero that ends it
    }
}
