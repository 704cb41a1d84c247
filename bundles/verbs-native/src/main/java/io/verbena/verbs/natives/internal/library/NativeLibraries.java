package io.verbena.verbs.natives.internal.library;

import com.kenai.jffi.Library;
import io.verbena.verbs.natives.internal.struct.Layout;
import java.lang.reflect.Method;
import java.nio.ByteOrder;
import java.util.Set;
import jnr.ffi.LibraryLoader;

/** libibverbs, librdmacm and the C library, loaded and checked against {@link Layout}. */
public record NativeLibraries(Ibverbs verbs, Rdmacm cm, Posix posix) {
    private static final String C_LIBRARY = "libc.so.6";
    private static final String GLIBC = "the GNU C library is required";
    private static final String PACKAGES = "install libibverbs1 librdmacm1 ibverbs-providers";
    private static final Set<String> ARCHITECTURES = Set.of("amd64", "x86_64", "aarch64");

    /**
     * Loads the libraries; may be called again.
     *
     * @throws NativeUnavailableException if one is missing, or its structures are not known
     */
    public static NativeLibraries load() throws NativeUnavailableException {
        return load("libibverbs.so.1", "librdmacm.so.1");
    }

    public static NativeLibraries load(String verbsName, String cmName) throws NativeUnavailableException {
        requirePlatform(System.getProperty("os.name"), System.getProperty("os.arch"));
        try {
            Posix posix = new JnrPosix(load(CLibrary.class, C_LIBRARY));
            Ibverbs ibverbs = new JnrIbverbs(load(IbverbsLibrary.class, verbsName), posix);
            Rdmacm rdmacm = new JnrRdmacm(load(RdmacmLibrary.class, cmName), posix);
            new LayoutCheck(ibverbs, rdmacm, LayoutCheck.Reader.OF_THIS_PROCESS).run();
            return new NativeLibraries(ibverbs, rdmacm, posix);
        } catch (LinkageError e) {
            throw new NativeUnavailableException("Native code cannot be called: " + firstLine(e), e);
        }
    }

    /**
     * Refuses other platforms: {@link Layout} holds where pointers and {@code long} have 64 bits and integers are
     * little-endian.
     */
    static void requirePlatform(String system, String architecture) throws NativeUnavailableException {
        boolean known = system.equals("Linux")
                && ARCHITECTURES.contains(architecture)
                && ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;
        if (!known) {
            throw new NativeUnavailableException("RDMA devices can be used on Linux on x86_64 and aarch64 only, not on "
                    + system + " on " + architecture);
        }
    }

    /** Loads a library, which must have each function of the interface. */
    public static <T> T load(Class<T> functions, String name) throws NativeUnavailableException {
        Library library = Library.openLibrary(name, Library.LAZY | Library.LOCAL);
        if (library == null) {
            String remedy = functions == CLibrary.class ? GLIBC : PACKAGES;
            throw new NativeUnavailableException(
                    "RDMA devices cannot be used: " + remedy + " (" + Library.getLastError() + ")");
        }
        for (Method function : functions.getMethods()) {
            if (library.getSymbolAddress(function.getName()) == 0) {
                throw new NativeUnavailableException(
                        name + " has no function " + function.getName() + ": it is too old to be used");
            }
        }
        return LibraryLoader.create(functions).failImmediately().load(name);
    }

    private static String firstLine(Throwable failure) {
        return String.valueOf(failure.getMessage()).lines().findFirst().orElse("no reason is known");
    }
}
