package io.verbena.dirfd.internal.linux;

import com.kenai.jffi.LastError;
import com.kenai.jffi.MemoryIO;
import io.verbena.dirfd.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Lists the names of extended attributes through Linux's system call. Thread safe. */
public final class AttributeNames {
    /** {@code PATH_MAX}, which includes the zero behind the path. */
    private static final int MAX_PATH = 4096;

    /** {@code XATTR_LIST_MAX}, the longest list. */
    private static final int MAX_LIST = 65_536;

    private final AttributeLibrary library;
    /** Memory for a path, and for the list behind it, which no call uses now; null where there is none. */
    private final AtomicReference<ByteBuffer> idle = new AtomicReference<>();

    private AttributeNames(AttributeLibrary library) {
        this.library = library;
    }

    /**
     * Loads the C library.
     *
     * @throws IOException where the library cannot be used; the message says why
     * @throws LinkageError where jnr-ffi is not there, or its native code cannot be loaded
     */
    public static AttributeNames load() throws IOException {
        return new AttributeNames(LibC.load(AttributeLibrary.class, LibC.abi()));
    }

    /**
     * The names of a file's extended attributes, as far as this process may see them; none where the file system has
     * none.
     *
     * @param path an absolute path's octets; a symbolic link is followed
     */
    public List<String> of(byte[] path) throws IOException {
        if (path.length >= MAX_PATH) {
            throw SystemCalls.failure(Errno.ENAMETOOLONG.number(), path);
        }
        ByteBuffer kept = idle.getAndSet(null);
        ByteBuffer memory = kept == null ? ByteBuffer.allocateDirect(MAX_PATH + MAX_LIST) : kept;
        try {
            return of(path, memory);
        } finally {
            idle.set(memory);
        }
    }

    private List<String> of(byte[] path, ByteBuffer memory) throws IOException {
        memory.put(0, path).put(path.length, (byte) 0);
        long address = MemoryIO.getInstance().getDirectBufferAddress(memory);
        long length = library.listxattr(address, address + MAX_PATH, MAX_LIST);
        if (length < 0) {
            int errno = LastError.getInstance().get();
            if (errno == Errno.EOPNOTSUPP.number()) {
                return List.of();
            }
            throw SystemCalls.failure(errno, path);
        }
        byte[] list = new byte[(int) length];
        memory.get(MAX_PATH, list);
        return split(list);
    }

    /** Each name ends with a zero. */
    private static List<String> split(byte[] list) {
        List<String> names = new ArrayList<>();
        int from = 0;
        for (int at = 0; at < list.length; at++) {
            if (list[at] == 0) {
                names.add(new String(list, from, at - from, StandardCharsets.UTF_8));
                from = at + 1;
            }
        }
        return names;
    }
}
