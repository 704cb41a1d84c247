package io.verbena.nfs41.server.internal.vfs;

/** The JDK's file keys on Unix, {@code (dev=fe00,ino=4711)}: device in hexadecimal and inode number in decimal. */
final class FileKeys {
    private FileKeys() {}

    /** Whether a file key names the object of these attributes. */
    static boolean isSame(Object fileKey, UnixAttributes attributes) {
        return fileKey != null && fileKey.toString().equals(of(attributes.device(), attributes.ino()));
    }

    private static String of(long device, long ino) {
        return "(dev=" + Long.toHexString(device) + ",ino=" + ino + ')';
    }
}
