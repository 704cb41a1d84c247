package io.verbena.rpcrdma;

import java.nio.ByteBuffer;

/** Numbered segments, from 1 on, whose fields all differ, and their words on the wire. */
public final class Segments {
    private Segments() {}

    public static int handle(int number) {
        return 0xa0000000 + number;
    }

    public static int length(int number) {
        return 0xb0000001 + number; // usually not a multiple of four, and negative as a Java int
    }

    public static long offset(int number) {
        return 0xc000000000000000L + ((long) number << 32) + number;
    }

    public static void add(SegmentList chunk, int... numbers) {
        for (int number : numbers) {
            chunk.add(handle(number), length(number), offset(number));
        }
    }

    public static void add(ReadList list, int position, int number) {
        list.add(position, handle(number), length(number), offset(number));
    }

    /**
     * The octets of a diagram in the notation of the specification, such as {@code 1 2 HLOO HLOO 0}: a number stands
     * for itself, {@code HLOO} for the next segment, {@code PHLOO} for the next segment with the next of the positions.
     */
    public static byte[] words(String picture, int... positions) {
        ByteBuffer out = ByteBuffer.allocate(1024);
        int segment = 0;
        int read = 0;
        for (String symbol : picture.split(" ", -1)) {
            if (!symbol.endsWith("HLOO")) {
                out.putInt(Long.decode(symbol).intValue());
                continue;
            }
            if (symbol.startsWith("P")) {
                out.putInt(positions[read++]);
            }
            segment++;
            out.putInt(handle(segment)).putInt(length(segment)).putLong(offset(segment));
        }
        byte[] octets = new byte[out.position()];
        out.get(0, octets);
        return octets;
    }
}
