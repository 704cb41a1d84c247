package io.verbena.rpcsec.gss.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.BitSet;

/**
 * The sequence numbers of a context that have come (RFC 2203 section 5.3.3.1). A number below the window, and one that
 * has come before, is not taken. Thread safe.
 */
final class SequenceWindow {
    private final int size;

    @GuardedBy("this")
    private final BitSet seen;

    @GuardedBy("this")
    private int highest;

    SequenceWindow(int size) {
        this.size = size;
        this.seen = new BitSet(size);
    }

    /** Takes a number of a call whose verifier is right; false where the call is to be dropped. */
    synchronized boolean take(int number) {
        if (number < 0 || number <= highest - size) {
            return false;
        }
        if (number > highest) {
            int first = Math.max(highest + 1, number - size + 1);
            for (int passed = first; passed < number; passed++) {
                seen.clear(passed % size);
            }
            highest = number;
        } else if (seen.get(number % size)) {
            return false;
        }
        seen.set(number % size);
        return true;
    }
}
