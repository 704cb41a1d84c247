package io.verbena.nfs41.server.internal.attribute;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;

/** The attributes that one request has set so far. The answer tells them even if a later one fails. For one thread. */
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
