package io.verbena.hadoop;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileRange;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** A program that reads the first two octets of a file as two ranges, and prints them in turn. */
final class OlderVectoredRead {
    private OlderVectoredRead() {}

    public static void main(String[] args) throws Exception {
        try (FileSystem files = FileSystem.get(URI.create(args[0]), new Configuration());
                FSDataInputStream in = files.open(new Path(args[0]))) {
            FileRange first = FileRange.createFileRange(0, 1);
            FileRange second = FileRange.createFileRange(1, 1);
            in.readVectored(List.of(second, first), ByteBuffer::allocate);
            System.out.println("read " + text(first) + text(second));
        }
    }

    private static String text(FileRange range) {
        return StandardCharsets.US_ASCII.decode(range.getData().join()).toString();
    }
}
