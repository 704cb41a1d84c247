package io.verbena.rpcrdma.dispatcher.internal.memory;

/**
 * The sizes of pooled buffers: four between a power of two and the next, so that at most a fifth of a buffer is unused.
 */
public final class SizeClass {
    private static final int MIN_SHIFT = 12;
    private static final int MAX_SHIFT = 24;
    private static final int STEPS = 4;
    private static final int STEP_SHIFT = 2;

    /** How many there are. */
    static final int COUNT = STEPS * (MAX_SHIFT - MIN_SHIFT) + 1;

    private SizeClass() {}

    /** The class of a number of octets, or -1 for more than the largest class has. */
    static int of(int bytes) {
        if (bytes <= 1 << MIN_SHIFT) {
            return 0;
        }
        if (bytes > 1 << MAX_SHIFT) {
            return -1;
        }
        int shift = shiftBelow(bytes);
        int step = shift - STEP_SHIFT;
        int steps = (bytes - (1 << shift) + (1 << step) - 1) >> step; // 1 to 4
        return STEPS * (shift - MIN_SHIFT) + steps;
    }

    /** The octets of the class of a number of octets, or the number itself where there is no class. */
    public static int roundUp(int bytes) {
        if (bytes <= 1 << MIN_SHIFT) {
            return 1 << MIN_SHIFT;
        }
        if (bytes > 1 << MAX_SHIFT) {
            return bytes;
        }
        int step = 1 << (shiftBelow(bytes) - STEP_SHIFT);
        return (bytes + step - 1) & -step;
    }

    /** The exponent of the largest power of two below a number of octets. */
    private static int shiftBelow(int bytes) {
        return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(bytes - 1);
    }
}
