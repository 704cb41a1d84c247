package io.verbena.nfs.transfer.internal.block;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.zip.CRC32C;

/**
 * Computes the digests of the units of a file. The digests of the two kinds differ in their length. Belongs to one
 * thread.
 */
public abstract class RangeDigest {
    /** The kind of a digest. */
    public enum Kind {
        /** SHA-256, for copies that are to be resumed. */
        SHA_256,
        /** CRC-32C, for the other copies. CRC-32C costs next to nothing, and detects damage by accident. */
        CRC_32C;

        /** Returns the kind of a digest in hexadecimal. */
        public static Kind of(String digest) {
            return digest.length() == CRC_LENGTH ? CRC_32C : SHA_256;
        }

        public RangeDigest start() {
            return this == CRC_32C ? new Crc() : new Sha();
        }
    }

    private static final int CRC_LENGTH = 8;

    private RangeDigest() {}

    /** Adds the remaining octets of a buffer. Consumes the buffer. */
    public abstract void update(ByteBuffer octets);

    /** Returns the digest in hexadecimal, and starts anew. */
    public abstract String take();

    private static final class Sha extends RangeDigest {
        private final MessageDigest digest = Contents.newDigest();

        @Override
        public void update(ByteBuffer octets) {
            digest.update(octets);
        }

        @Override
        public String take() {
            return HexFormat.of().formatHex(digest.digest());
        }
    }

    private static final class Crc extends RangeDigest {
        private final CRC32C crc = new CRC32C();

        @Override
        public void update(ByteBuffer octets) {
            crc.update(octets);
        }

        @Override
        public String take() {
            String value = HexFormat.of().toHexDigits((int) crc.getValue());
            crc.reset();
            return value;
        }
    }
}
