package io.verbena.cli.internal.nfs.content;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/** Prints parts of the content of a file, block by block. */
final class Excerpt {
    private static final int BLOCK = 256 << 10;

    private final ContentReader reader;
    private final OutputStream out;
    private final ByteBuffer block = ByteBuffer.allocate(BLOCK);

    Excerpt(ContentReader reader, OutputStream out) {
        this.reader = reader;
        this.out = out;
    }

    /** Prints the first lines. */
    void printLines(long lines) throws IOException {
        long position = 0;
        for (long left = lines; left > 0; ) {
            int count = reader.read(block, position);
            if (count <= 0) {
                return;
            }
            int end = 0;
            while (end < count && left > 0) {
                left -= block.get(end++) == '\n' ? 1 : 0;
            }
            out.write(block.array(), 0, end);
            position += end;
        }
    }

    /**
     * Prints a number of octets, or fewer at the end of the file.
     *
     * @return the position after the printed octets
     */
    long print(long start, long octets) throws IOException {
        long position = start;
        for (long left = octets; left > 0; ) {
            int count = reader.read(block, position);
            if (count <= 0) {
                break;
            }
            int wanted = (int) Math.min(count, left);
            out.write(block.array(), 0, wanted);
            position += wanted;
            left -= wanted;
        }
        return position;
    }

    /**
     * Returns the start of the last lines, searching backwards from the end. The last line may lack a line separator.
     */
    long startOfLast(long lines, long size) throws IOException {
        if (lines == 0) {
            return size;
        }
        long left = lines;
        long end = size;
        while (end > 0) {
            long start = Math.max(0, end - BLOCK);
            int wanted = (int) (end - start);
            int count = Math.min(wanted, reader.read(block, start));
            for (int i = count - 1; i >= 0; i--) {
                boolean isVeryLast = start + i == size - 1;
                if (block.get(i) == '\n' && !isVeryLast && --left == 0) {
                    return start + i + 1;
                }
            }
            end = start;
        }
        return 0;
    }
}
