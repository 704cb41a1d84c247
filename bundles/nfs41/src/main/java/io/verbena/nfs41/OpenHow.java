package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** {@code openflag4}: whether and how OPEN creates the file (RFC 8881 section 18.16.1). */
public sealed interface OpenHow {
    /** {@code OPEN4_NOCREATE}: the file must exist. */
    record NoCreate() implements OpenHow {}

    /**
     * {@code UNCHECKED4}: opens a file that is there, and creates one that is not.
     *
     * @param attributes of a new file; a size of 0 truncates an old one
     */
    record Unchecked(Attributes attributes) implements OpenHow {}

    /**
     * {@code GUARDED4}: fails where the file is there.
     *
     * @param attributes of the new file
     */
    record Guarded(Attributes attributes) implements OpenHow {}

    /**
     * {@code EXCLUSIVE4}: fails where the file is there, unless it was made with the same verifier.
     *
     * @param verifier the client's, never used before
     */
    record Exclusive(long verifier) implements OpenHow {}

    /**
     * {@code EXCLUSIVE4_1}: as {@link Exclusive}, with attributes.
     *
     * @param verifier the client's, never used before
     * @param attributes of the new file, of those in {@code suppattr_exclcreat}
     */
    record ExclusiveWithAttributes(long verifier, Attributes attributes) implements OpenHow {}

    private static XdrWriter create(XdrWriter out, int mode) {
        return out.putInt(1).putInt(mode);
    }

    default void encode(XdrWriter out) {
        if (this instanceof NoCreate) {
            out.putInt(0);
        } else if (this instanceof Unchecked how) {
            how.attributes.encode(create(out, 0));
        } else if (this instanceof Guarded how) {
            how.attributes.encode(create(out, 1));
        } else if (this instanceof Exclusive how) {
            create(out, 2).putLong(how.verifier);
        } else if (this instanceof ExclusiveWithAttributes how) {
            how.attributes.encode(create(out, 3).putLong(how.verifier));
        }
    }

    static OpenHow decode(XdrReader in) throws XdrException {
        if (Codec.enumeration(in, 1, "opentype4") == 0) {
            return new NoCreate();
        }
        return switch (Codec.enumeration(in, 3, "createmode4")) {
            case 0 -> new Unchecked(Attributes.decode(in));
            case 1 -> new Guarded(Attributes.decode(in));
            case 2 -> new Exclusive(in.getLong());
            default -> new ExclusiveWithAttributes(in.getLong(), Attributes.decode(in));
        };
    }
}
