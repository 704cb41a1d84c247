package io.verbena.dirfd.internal.linux;

import io.verbena.dirfd.Directory;
import io.verbena.dirfd.FileStatus;
import java.io.IOException;

/** Opens directories through Linux's system calls. Thread safe. */
public final class LinuxDirectories {
    private static final byte[] ROOT = {'/'};

    private final SystemCalls calls;

    private LinuxDirectories(SystemCalls calls) {
        this.calls = calls;
    }

    /**
     * Loads the C library and tests it.
     *
     * @throws IOException where the library cannot be used; the message says why
     * @throws LinkageError where jnr-ffi is not there, or its native code cannot be loaded
     */
    public static LinuxDirectories load() throws IOException {
        Abi abi = LibC.abi();
        SystemCalls calls = new SystemCalls(LibC.load(CLibrary.class, abi), abi);
        requireProc(calls);
        SystemCalls.prepareFailures();
        return new LinuxDirectories(calls);
    }

    /** Requires /proc: its paths of descriptors are used to open files and to set modes and times. */
    private static void requireProc(SystemCalls calls) throws IOException {
        try (Directory root = LinuxDirectory.open(calls, Abi.AT_FDCWD, ROOT)) {
            byte[] path = SystemCalls.descriptorPath(((LinuxDirectory) root).fd());
            int again = calls.open(Abi.AT_FDCWD, path, Abi.O_PATH, 0);
            try {
                FileStatus status = calls.status(again);
                if (!status.isSameObject(root.status())) {
                    throw new IOException("/proc/self/fd does not lead to the descriptors of this process");
                }
            } finally {
                calls.close(again);
            }
        } catch (IOException e) {
            throw new IOException("/proc is needed and cannot be used: " + e.getMessage(), e);
        }
    }

    /**
     * Opens a directory.
     *
     * @param path an absolute path's octets; its last component may not be a symbolic link
     */
    public Directory open(byte[] path) throws IOException {
        return LinuxDirectory.open(calls, Abi.AT_FDCWD, path);
    }
}
