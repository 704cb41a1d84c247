package io.verbena.fuzzing;

import java.nio.ByteBuffer;
import java.util.random.RandomGenerator;

/**
 * Damages messages in ways that decoders tend to handle wrongly: lengths and counts at their bounds and at the bounds
 * of the remaining octets, and missing, surplus or foreign parts. The result depends on the generator only.
 */
final class Mutator {
    private static final int WORD = 4;

    private static final long[] NOTABLE = {
        0,
        1,
        2,
        3,
        4,
        5,
        7,
        8,
        15,
        16,
        17,
        28,
        31,
        32,
        63,
        64,
        127,
        128,
        255,
        256,
        400,
        401,
        512,
        513,
        1024,
        4096,
        65535,
        65536,
        0x0fffffff,
        0x10000000,
        0x10000001,
        0x7ffffffc,
        0x7fffffff,
        0x80000000L,
        0xfffffffcL,
        0xffffffffL,
        0x7fffffffffffffffL,
        0x8000000000000000L,
        -1
    };
    /** Sizes of counted elements in octets: a count may be the largest that fits, or one more. */
    private static final int[] ELEMENT_SIZES = {1, 4, 8, 16, 20};

    private final ByteBuffer octets;
    private final ByteBuffer moved;
    private int length;

    Mutator(int maxLength) {
        octets = ByteBuffer.allocate(maxLength);
        moved = ByteBuffer.allocate(maxLength);
    }

    byte[] octets() {
        return octets.array();
    }

    int length() {
        return length;
    }

    void set(byte[] message) {
        length = Math.min(message.length, octets.capacity());
        octets.put(0, message, 0, length);
    }

    /** Mutates a message: one in 16 is not changed, most are damaged in one to three places, a few in up to ten. */
    void mutate(byte[] sound, byte[] other, RandomGenerator random) {
        set(sound);
        int places = random.nextInt(16);
        places = places == 15 ? random.nextInt(10) + 1 : (places + 4) / 5;
        for (; places > 0; places--) {
            mutateOnce(other, random);
        }
    }

    private void mutateOnce(byte[] other, RandomGenerator random) {
        if (length < 2 * WORD) {
            extend(2 * WORD, random);
            return;
        }
        int at = random.nextInt(length);
        int word = random.nextInt(length / WORD) * WORD;
        int anotherWord = random.nextInt(length / WORD) * WORD;
        switch (random.nextInt(14)) {
            case 0 -> octets.put(at, (byte) (octets.get(at) ^ (1 << random.nextInt(8))));
            case 1 -> octets.put(at, (byte) random.nextInt());
            case 2, 3 -> octets.putInt(word, (int) notable(word, random));
            case 4 -> putNotable(at, 1 << random.nextInt(4), random);
            case 5 -> octets.putInt(word, octets.getInt(word) + random.nextInt(9) - 4);
            case 6 -> octets.putInt(word, octets.getInt(anotherWord));
            case 7 -> octets.putInt(word, random.nextInt());
            case 8 -> length = random.nextBoolean() ? at : word;
            case 9 -> extend(random.nextInt(48), random);
            case 10 -> splice(at, octets.array(), Math.min(length, at + random.nextInt(24)), length);
            case 11 -> splice(word, octets.array(), Math.min(word, anotherWord), length);
            case 12 -> splice(Math.min(word, anotherWord), octets.array(), Math.max(word, anotherWord), length);
            default -> splice(word, other, Math.min(anotherWord, other.length), other.length);
        }
    }

    /** A value at a bound of its type, or of the octets behind it. */
    private long notable(int at, RandomGenerator random) {
        if (random.nextInt(3) > 0) {
            return NOTABLE[random.nextInt(NOTABLE.length)];
        }
        int left = length - at - WORD;
        return left / ELEMENT_SIZES[random.nextInt(ELEMENT_SIZES.length)] + random.nextInt(3) - 1L;
    }

    private void putNotable(int at, int width, RandomGenerator random) {
        long value = notable(at, random);
        for (int i = Math.min(at + width, length) - 1; i >= at; i--) {
            octets.put(i, (byte) value);
            value >>= Byte.SIZE;
        }
    }

    private void extend(int by, RandomGenerator random) {
        int end = Math.min(length + by, octets.capacity());
        boolean zeros = random.nextBoolean();
        while (length < end) {
            octets.put(length++, zeros ? 0 : (byte) random.nextInt());
        }
    }

    /** Keeps the octets before {@code at}, and puts a part of {@code from} behind them. */
    private void splice(int at, byte[] from, int start, int end) {
        int n = Math.min(end - start, octets.capacity() - at);
        moved.put(0, from, start, n);
        octets.put(at, moved, 0, n);
        length = at + n;
    }
}
