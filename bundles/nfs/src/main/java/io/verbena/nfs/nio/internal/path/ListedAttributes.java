package io.verbena.nfs.nio.internal.path;

import io.verbena.nfs.FileAttributes;
import java.util.function.BooleanSupplier;

/**
 * The attributes of an entry in a listing. A program that walks a tree reads them next, so this saves a call.
 *
 * @param attributes of the object itself
 * @param freshness whether they still hold, as far as the mount knows: it knows of each change that was made by it
 */
public record ListedAttributes(FileAttributes attributes, BooleanSupplier freshness) {
    boolean answers(boolean followsLink) {
        return !(followsLink && attributes.isSymbolicLink()) && freshness.getAsBoolean();
    }
}
