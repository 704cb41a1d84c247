package io.verbena.nfs;

/** The type of an object ({@code nfs_ftype4}; RFC 8881 section 5.8.1.2). */
public enum FileType {
    REGULAR,
    DIRECTORY,
    SYMBOLIC_LINK,
    BLOCK_DEVICE,
    CHARACTER_DEVICE,
    SOCKET,
    FIFO,
    OTHER
}
