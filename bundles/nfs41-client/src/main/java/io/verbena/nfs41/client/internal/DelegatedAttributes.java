package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;

/**
 * What is known of a delegated file without asking: nobody but this client changes it. What was fetched holds until the
 * client itself changes something; size and change attribute are kept beside it, since the server may ask for them at
 * any time (CB_GETATTR). Thread safe.
 */
final class DelegatedAttributes {
    /** Where no octets are written. */
    static final long NO_DATA = 0;

    private Attributes known;
    /** Moves with every change, so that attributes fetched before one are not taken for those behind it. */
    private long epoch;

    private int changing;
    private Long grantedChange;
    private boolean modified;
    private long size;
    private boolean sizeKnown;

    /** The attributes as they are now, or null where they have to be fetched. */
    synchronized Attributes known() {
        return known;
    }

    /** To be taken before attributes are fetched. */
    synchronized long epoch() {
        return epoch;
    }

    /**
     * Attributes were fetched.
     *
     * @param seen the epoch when they were asked for
     */
    synchronized void learn(long seen, Attributes fetched) {
        if (seen != epoch || changing > 0) {
            return;
        }
        known = fetched;
        if (grantedChange == null) {
            grantedChange = fetched.get(Attribute.CHANGE);
        }
        Long fetchedSize = fetched.get(Attribute.SIZE);
        if (!sizeKnown && fetchedSize != null) {
            size = fetchedSize;
            sizeKnown = true;
        }
    }

    /**
     * A change goes out to the server.
     *
     * @param end the offset behind the octets that it writes, or {@link #NO_DATA}
     */
    synchronized void begin(long end) {
        changing++;
        wrote(end);
    }

    /** The server has answered it. */
    synchronized void end(boolean failed) {
        changing--;
        forget();
        if (failed) {
            sizeKnown = false;
        }
    }

    /** Data was written, be it on its way to the server or still collected here. */
    synchronized void wrote(long end) {
        forget();
        modified = true;
        size = Math.max(size, end);
    }

    synchronized void resized(long newSize) {
        wrote(NO_DATA);
        size = newSize;
        sizeKnown = true;
    }

    /** A change was made that was not told of before: what was fetched, and the size, may have been from before it. */
    synchronized void unknown() {
        forget();
        modified = true;
        sizeKnown = false;
    }

    /** What was fetched may not hold any more. */
    synchronized void forget() {
        epoch++;
        known = null;
    }

    /**
     * What a CB_GETATTR is answered with: the change attribute is one more than when the file was delegated, as soon as
     * anything was written (RFC 8881 section 10.4.3).
     */
    synchronized Attributes answer(AttributeMask asked) {
        Attributes.Builder answer = Attributes.builder();
        if (asked.contains(Attribute.CHANGE) && grantedChange != null) {
            answer.put(Attribute.CHANGE, modified ? grantedChange + 1 : grantedChange);
        }
        if (asked.contains(Attribute.SIZE) && sizeKnown) {
            answer.put(Attribute.SIZE, size);
        }
        return answer.build();
    }
}
