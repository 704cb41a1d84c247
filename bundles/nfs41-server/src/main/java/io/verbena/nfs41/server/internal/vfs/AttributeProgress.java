package io.verbena.nfs41.server.internal.vfs;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;

/** Which attributes one request has set so far: the answer tells these, also where a later one fails. On one thread. */
public final class AttributeProgress {
    private AttributeMask set = AttributeMask.EMPTY;

    /** An attribute has the value that was asked for. */
    public void done(Attribute<?> attribute) {
        set = set.or(AttributeMask.of(attribute));
    }

    public AttributeMask set() {
        return set;
    }
}
