package io.verbena.simulation;

import java.util.ArrayList;
import java.util.List;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Platform;
import jnr.ffi.annotations.In;
import jnr.ffi.annotations.Out;

/**
 * Keeps the threads of a world on one processor: one of them runs at a time, and a thread wakes another one of the same
 * processor for a fraction of what one of another processor costs. A thread that is made inherits the processor of its
 * maker. Only Linux does this; elsewhere nothing is kept.
 */
final class Processor {
    private static final int MASK_OCTETS = 128; // of 1,024 processors, as glibc has it

    private Processor() {}

    /** The functions of sched_setaffinity(2), as libc has them; 0 is the calling thread. */
    public interface LibC {
        int sched_getaffinity(int thread, long size, @Out byte[] mask);

        int sched_setaffinity(int thread, long size, @In byte[] mask);
    }

    /** Keeps the calling thread, and the threads that it makes, on one of the processors that it may use. */
    static void keep(int index) {
        if (Platform.getNativePlatform().getOS() != Platform.OS.LINUX) {
            return;
        }
        LibC functions = LibraryLoader.create(LibC.class).load("c");
        byte[] mask = new byte[MASK_OCTETS];
        if (functions.sched_getaffinity(0, MASK_OCTETS, mask) < 0) {
            return;
        }
        List<Integer> usable = new ArrayList<>();
        for (int i = 0; i < MASK_OCTETS * Byte.SIZE; i++) {
            if ((mask[i / Byte.SIZE] & 1 << i % Byte.SIZE) != 0) {
                usable.add(i);
            }
        }
        int chosen = usable.get(index % usable.size());
        byte[] one = new byte[MASK_OCTETS];
        one[chosen / Byte.SIZE] = (byte) (1 << chosen % Byte.SIZE);
        int unused = functions.sched_setaffinity(0, MASK_OCTETS, one); // without, the worlds are slower
    }
}
