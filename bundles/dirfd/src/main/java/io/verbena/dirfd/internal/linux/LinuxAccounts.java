package io.verbena.dirfd.internal.linux;

import com.kenai.jffi.MemoryIO;
import io.verbena.dirfd.Account;
import io.verbena.dirfd.ErrnoException;
import io.verbena.dirfd.internal.AccountSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Users and groups by the C library's getpwnam_r(3) and its kin. The structures are those of 64-bit platforms, the same
 * in glibc and musl. Each call has memory of its own, which is freed before the call returns. Thread safe.
 */
public final class LinuxAccounts implements AccountSource {
    private static final MemoryIO MEMORY = MemoryIO.getInstance();
    private static final int MAX_NAME = 1024;

    /** Room for an entry's text, and for the members of a group; larger entries count as absent. */
    private static final int LEAST_TEXT = 4096;

    private static final int MOST_TEXT = 1 << 20;

    /** {@code struct passwd}: 48 octets, of which a group's are fewer. */
    private static final int ENTRY = 48;

    /** {@code pw_uid} and {@code gr_gid}. */
    private static final int ID_AT = 16;

    private static final int USER_GID_AT = 20;

    private static final int EPERM = 1;
    private static final int ENOENT = 2;
    private static final int ESRCH = 3;
    private static final int EBADF = 9;
    private static final int ERANGE = 34;

    private final AccountLibrary library;

    private LinuxAccounts(AccountLibrary library) {
        this.library = library;
    }

    /**
     * Loads the C library.
     *
     * @throws IOException where the library cannot be used; the message says why
     * @throws LinkageError where jnr-ffi is not there, or its native code cannot be loaded
     */
    public static LinuxAccounts load() throws IOException {
        return new LinuxAccounts(LibC.load(AccountLibrary.class, LibC.abi()));
    }

    /** Calls a function that fills in an entry. */
    @FunctionalInterface
    private interface Lookup {
        int call(long entry, long text, long size, long result);
    }

    /** Reads what is wanted of an entry. */
    @FunctionalInterface
    private interface Reader<T> {
        T read(long entry) throws IOException;
    }

    @Override
    public Optional<Account> user(String name) throws IOException {
        return byName(
                name,
                at -> (entry, text, size, result) -> library.getpwnam_r(at, entry, text, size, result),
                (at, entry) -> {
                    int gid = MEMORY.getInt(entry + USER_GID_AT);
                    return new Account(MEMORY.getInt(entry + ID_AT), gid, groups(at, gid));
                });
    }

    @Override
    public Optional<Integer> group(String name) throws IOException {
        return byName(
                name,
                at -> (entry, text, size, result) -> library.getgrnam_r(at, entry, text, size, result),
                (at, entry) -> MEMORY.getInt(entry + ID_AT));
    }

    /** What is looked up by the name at an address. */
    @FunctionalInterface
    private interface Named {
        Lookup of(long name);
    }

    /** Reads what is wanted of an entry that was found by the name at an address. */
    @FunctionalInterface
    private interface NamedReader<T> {
        T read(long name, long entry) throws IOException;
    }

    private <T> Optional<T> byName(String name, Named lookup, NamedReader<T> reader) throws IOException {
        byte[] octets = name.getBytes(StandardCharsets.UTF_8);
        if (octets.length == 0 || octets.length > MAX_NAME || name.indexOf('\0') >= 0) {
            return Optional.empty();
        }
        long at = allocate(octets.length + 1);
        try {
            MEMORY.putByteArray(at, octets, 0, octets.length);
            MEMORY.putByte(at + octets.length, (byte) 0);
            return find(lookup.of(at), entry -> reader.read(at, entry));
        } finally {
            MEMORY.freeMemory(at);
        }
    }

    @Override
    public Optional<String> userName(int uid) throws IOException {
        return find(
                (entry, text, size, result) -> library.getpwuid_r(uid, entry, text, size, result), LinuxAccounts::name);
    }

    @Override
    public Optional<String> groupName(int gid) throws IOException {
        return find(
                (entry, text, size, result) -> library.getgrgid_r(gid, entry, text, size, result), LinuxAccounts::name);
    }

    /** The name of an entry, or null if it is no UTF-8. */
    private static String name(long entry) {
        long at = MEMORY.getAddress(entry);
        byte[] octets = MEMORY.getZeroTerminatedByteArray(at, MAX_NAME);
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(octets))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static <T> Optional<T> find(Lookup lookup, Reader<T> reader) throws IOException {
        for (int size = LEAST_TEXT; size <= MOST_TEXT; size *= 4) {
            long entry = allocate(ENTRY + Long.BYTES + size);
            try {
                long result = entry + ENTRY;
                long text = result + Long.BYTES;
                MEMORY.putAddress(result, 0);
                int failure = lookup.call(entry, text, size, result);
                if (failure == 0) {
                    return MEMORY.getAddress(result) == 0 ? Optional.empty() : Optional.ofNullable(reader.read(entry));
                } else if (isAbsence(failure)) {
                    return Optional.empty();
                } else if (failure != ERANGE) {
                    throw new ErrnoException("users and groups", failure);
                }
            } finally {
                MEMORY.freeMemory(entry);
            }
        }
        return Optional.empty();
    }

    /** Whether an error says that there is no such entry (getpwnam(3)). */
    private static boolean isAbsence(int failure) {
        return switch (failure) {
            case EPERM, ENOENT, ESRCH, EBADF -> true;
            default -> false;
        };
    }

    /** The further groups of a user: the first {@link Account#MAX_GROUPS}. */
    private List<Integer> groups(long name, int gid) throws IOException {
        int room = Account.MAX_GROUPS + 1;
        long at = allocate(Integer.BYTES * (room + 1));
        try {
            long count = at + (long) Integer.BYTES * room;
            MEMORY.putInt(count, room);
            int told = library.getgrouplist(name, gid, at, count);
            // -1 where there are more: as many as have room were written
            int written = told < 0 ? room : Math.min(room, MEMORY.getInt(count));
            List<Integer> groups = new ArrayList<>(written);
            for (int i = 0; i < written; i++) {
                int each = MEMORY.getInt(at + (long) Integer.BYTES * i);
                if (each != gid) {
                    groups.add(each);
                }
            }
            return groups.subList(0, Math.min(groups.size(), Account.MAX_GROUPS));
        } finally {
            MEMORY.freeMemory(at);
        }
    }

    private static long allocate(int octets) throws IOException {
        long at = MEMORY.allocateMemory(octets, true);
        if (at == 0) {
            throw new IOException("there is no memory to look users and groups up");
        }
        return at;
    }
}
