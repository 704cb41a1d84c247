package io.verbena.fuse.internal.kernel;

/** The operations of the protocol ({@code enum fuse_opcode} of linux/fuse.h) that this file system knows. */
public enum Opcode {
    LOOKUP(1),
    FORGET(2),
    GETATTR(3),
    SETATTR(4),
    READLINK(5),
    SYMLINK(6),
    MKNOD(8),
    MKDIR(9),
    UNLINK(10),
    RMDIR(11),
    RENAME(12),
    LINK(13),
    OPEN(14),
    READ(15),
    WRITE(16),
    STATFS(17),
    RELEASE(18),
    FSYNC(20),
    FLUSH(25),
    INIT(26),
    OPENDIR(27),
    READDIR(28),
    RELEASEDIR(29),
    FSYNCDIR(30),
    GETLK(31),
    SETLK(32),
    SETLKW(33),
    ACCESS(34),
    CREATE(35),
    INTERRUPT(36),
    DESTROY(38),
    BATCH_FORGET(42),
    READDIRPLUS(44),
    RENAME2(45),
    /** Any other operation, which is answered with ENOSYS: the kernel does it itself, or tells programs so. */
    OTHER(-1);

    private static final Opcode[] BY_NUMBER = new Opcode[64];

    static {
        for (Opcode each : values()) {
            if (each.number >= 0) {
                BY_NUMBER[each.number] = each;
            }
        }
    }

    private final int number;

    Opcode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }

    /** The operation of a number, or {@link #OTHER}. */
    public static Opcode of(int number) {
        Opcode found = number >= 0 && number < BY_NUMBER.length ? BY_NUMBER[number] : null;
        return found == null ? OTHER : found;
    }
}
