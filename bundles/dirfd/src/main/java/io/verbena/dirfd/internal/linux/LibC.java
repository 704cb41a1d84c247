package io.verbena.dirfd.internal.linux;

import com.kenai.jffi.Library;
import java.io.IOException;
import java.lang.reflect.Method;
import jnr.ffi.LibraryLoader;

/** Loads the C library of this platform. */
final class LibC {
    private static final String GLIBC = "libc.so.6";

    private LibC() {}

    /**
     * Loads functions.
     *
     * @param functions an interface whose methods are the functions
     * @throws IOException where one of them cannot be loaded; the message says why
     * @throws LinkageError where jnr-ffi is not there, or its native code cannot be loaded
     */
    static <T> T load(Class<T> functions, Abi abi) throws IOException {
        Library glibc = Library.openLibrary(GLIBC, Library.LAZY | Library.LOCAL);
        String name = glibc != null ? GLIBC : abi.muslLibrary();
        Library library = glibc != null ? glibc : Library.openLibrary(name, Library.LAZY | Library.LOCAL);
        if (library == null) {
            throw new IOException("neither " + GLIBC + " nor " + name + " can be loaded");
        }
        for (Method function : functions.getMethods()) {
            if (library.getSymbolAddress(function.getName()) == 0) {
                throw new IOException(name + " has no function " + function.getName() + ": it is too old");
            }
        }
        return LibraryLoader.create(functions).failImmediately().load(name);
    }

    /** The constants of this platform. */
    static Abi abi() throws IOException {
        Abi abi = Abi.ofThisPlatform();
        if (abi == null) {
            throw new IOException("the system calls of " + System.getProperty("os.name") + " on "
                    + System.getProperty("os.arch") + " are not known");
        }
        return abi;
    }
}
