package io.verbena.nfs.nio.internal;

import io.verbena.nfs.FileAttributes;
import java.util.function.BooleanSupplier;

/**
 * What a listing told of an entry: whoever walks a tree asks for it at once.
 *
 * @param attributes of the object itself
 * @param freshness whether they may stand for what the server would tell now: the mount says so, which knows of every change
 *     made through it
 */
record Listed(FileAttributes attributes, BooleanSupplier freshness) {
    boolean answers(boolean followsLink) {
        return !(followsLink && attributes.isSymbolicLink()) && freshness.getAsBoolean();
    }
}
