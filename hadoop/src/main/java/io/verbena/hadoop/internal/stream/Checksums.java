package io.verbena.hadoop.internal.stream;

import io.verbena.nfs.RemoteFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.util.DataChecksum;

/**
 * The checksum of a file as HDFS computes it with {@code dfs.checksum.combine.mode=COMPOSITE_CRC}: the CRC of all
 * octets. NFS keeps none: the file is read.
 */
public final class Checksums {
    private static final int CHUNK = 1 << 16;
    private static final int BYTES_PER_CRC = 512;

    private Checksums() {}

    /**
     * Reads a file to compute its checksum.
     *
     * @param length how many octets from the start count, at most
     * @param isCastagnoli whether it is CRC32C, as HDFS's default; else CRC32
     */
    public static FileChecksum of(RemoteFile file, long length, boolean isCastagnoli) throws IOException {
        Checksum checksum = isCastagnoli ? new CRC32C() : new CRC32();
        ByteBuffer buffer = ByteBuffer.allocate(CHUNK);
        long left = length;
        try (SeekableByteChannel channel = file.channel()) {
            while (left > 0) {
                int count = channel.read(buffer.clear().limit((int) Math.min(CHUNK, left)));
                if (count < 0) {
                    break;
                }
                checksum.update(buffer.flip());
                left -= count;
            }
        }
        DataChecksum.Type type = isCastagnoli ? DataChecksum.Type.CRC32C : DataChecksum.Type.CRC32;
        return new CompositeCrcFileChecksum((int) checksum.getValue(), type, BYTES_PER_CRC);
    }
}
