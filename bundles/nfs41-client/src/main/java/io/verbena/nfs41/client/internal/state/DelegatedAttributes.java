package io.verbena.nfs41.client.internal.state;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;

/**
 * The cached attributes of a delegated file, which only this client changes. Fetched attributes hold until this client
 * changes the file. Size and change attribute are kept apart, since the server may ask for them at any time
 * (CB_GETATTR). Thread safe.
 */
public final class DelegatedAttributes {
    /** The end of a change that writes no octets. */
    public static final long NO_DATA = 0;

    @GuardedBy("this")
    private Attributes known;

    /** Grows with every change, so that attributes fetched before a change are not taken for those after it. */
    @GuardedBy("this")
    private long epoch;

    @GuardedBy("this")
    private int changing;

    @GuardedBy("this")
    private Long grantedChange;

    @GuardedBy("this")
    private boolean modified;

    @GuardedBy("this")
    private long size;

    @GuardedBy("this")
    private boolean sizeKnown;

    /** The present attributes, or null where they have to be fetched. */
    synchronized Attributes known() {
        return known;
    }

    /** The present epoch, to be read before attributes are fetched. */
    public synchronized long epoch() {
        return epoch;
    }

    /**
     * Attributes were fetched.
     *
     * @param seen the epoch when they were asked for
     */
    public synchronized void learn(long seen, Attributes fetched) {
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

    /** Data was written, whether it is on its way to the server or still collected here. */
    synchronized void wrote(long end) {
        forget();
        modified = true;
        size = Math.max(size, end);
    }

    public synchronized void resized(long newSize) {
        wrote(NO_DATA);
        size = newSize;
        sizeKnown = true;
    }

    /** A change was made that {@link #begin} did not announce: fetched attributes and size may be older than it. */
    synchronized void unknown() {
        forget();
        modified = true;
        sizeKnown = false;
    }

    /** Drops the fetched attributes. */
    synchronized void forget() {
        epoch++;
        known = null;
    }

    /**
     * The answer to CB_GETATTR. The change attribute is one more than at the grant, as soon as data was written (RFC
     * 8881 section 10.4.3).
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
