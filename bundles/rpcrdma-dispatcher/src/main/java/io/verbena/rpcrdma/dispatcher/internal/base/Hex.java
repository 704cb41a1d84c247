package io.verbena.rpcrdma.dispatcher.internal.base;

/** Writes XIDs and steering tags as hexadecimal numbers. */
public final class Hex {
    private Hex() {}

    /** As {@code 0x0000abcd}. */
    public static String of(int number) {
        return String.format("0x%08x", number);
    }
}
