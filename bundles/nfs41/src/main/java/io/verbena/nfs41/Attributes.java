package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/**
 * {@code fattr4}: attributes and their values (RFC 8881 section 3.3.8). Immutable.
 *
 * <p>The values are not self-describing. Where a peer sends an attribute that {@link Attribute} has no codec of, the
 * values from there on cannot be read: {@link #mask} names all that was sent and {@link #isComplete} is false, so that
 * a server can answer {@code NFS4ERR_ATTRNOTSUPP}.
 */
public final class Attributes {
    public static final Attributes EMPTY = new Builder().build();

    private static final int MAX_LENGTH = 1 << 20;
    private static final Attributes UNREADABLE =
            builder().put(Attribute.RDATTR_ERROR, Status.NFS4ERR_BADXDR).build();

    private final AttributeMask mask;
    private final Object[] values;

    private Attributes(AttributeMask mask, Object[] values) {
        this.mask = mask;
        this.values = values;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Collects values. */
    public static final class Builder {
        private Object[] byNumber = new Object[64];
        private int word0;
        private int word1;
        private int word2;

        private Builder() {}

        /** Sets a value; it must not be null. */
        public <T> Builder put(Attribute<T> attribute, T value) {
            int number = attribute.number();
            if (number >= byNumber.length) {
                byNumber = Arrays.copyOf(byNumber, AttributeMask.LIMIT);
            }
            byNumber[number] = Objects.requireNonNull(value, attribute.name());
            int bit = 1 << (number & 31);
            switch (number >> 5) {
                case 0 -> word0 |= bit;
                case 1 -> word1 |= bit;
                default -> word2 |= bit;
            }
            return this;
        }

        public Attributes build() {
            AttributeMask mask = new AttributeMask(word0, word1, word2);
            Object[] values = new Object[mask.size()];
            int index = 0;
            for (int number = mask.next(0); number >= 0; number = mask.next(number + 1)) {
                values[index++] = byNumber[number];
            }
            return new Attributes(mask, values);
        }
    }

    /** The attributes that there are. */
    public AttributeMask mask() {
        return mask;
    }

    /** False where values were sent that could not be read; no value of them can be had. */
    public boolean isComplete() {
        return values.length == mask.size();
    }

    /** The attribute's value, or null where it was not sent. */
    @SuppressWarnings("unchecked") // the value was put, or read, with the same attribute
    public <T> T get(Attribute<T> attribute) {
        if (!mask.contains(attribute)) {
            return null;
        }
        int index = mask.rank(attribute.number());
        return index < values.length ? (T) values[index] : null;
    }

    /** The attribute's value, or {@code absent} where it was not sent. */
    public <T> T get(Attribute<T> attribute, T absent) {
        T value = get(attribute);
        return value == null ? absent : value;
    }

    public void encode(XdrWriter out) {
        mask.encode(out);
        out.putInt(0);
        int from = out.position();
        int index = 0;
        for (int number = mask.next(0); number >= 0; number = mask.next(number + 1)) {
            Attribute.of(number).encodeValue(values[index++], out);
        }
        out.setInt(from - 4, out.position() - from);
    }

    /** Writes the value of an attribute that its owner keeps elsewhere than in {@link Attributes}. */
    @FunctionalInterface
    public interface ValueWriter {
        void write(Attribute<?> attribute, XdrWriter out);
    }

    /** As {@link #encode(XdrWriter)}, for attributes whose values are written one by one, in the order of numbers. */
    public static void encode(XdrWriter out, AttributeMask mask, ValueWriter values) {
        mask.encode(out);
        out.putInt(0);
        int from = out.position();
        for (int number = mask.next(0); number >= 0; number = mask.next(number + 1)) {
            values.write(Attribute.of(number), out);
        }
        out.setInt(from - 4, out.position() - from);
    }

    public static Attributes decode(XdrReader in) throws XdrException {
        AttributeMask mask = AttributeMask.decode(in);
        int length = in.getCount(MAX_LENGTH, 1);
        Attributes decoded = decodeValues(mask, length, in);
        in.skip(XdrWriter.roundUp(length) - length);
        return decoded;
    }

    /**
     * As {@link #decode}, of an entry of a directory: values that cannot be read cost no more than themselves. They are
     * told as {@code rdattr_error} with NFS4ERR_BADXDR, as if the server had told that itself.
     */
    static Attributes decodeOfEntry(XdrReader in) throws XdrException {
        AttributeMask mask = AttributeMask.decode(in);
        ByteBuffer values = in.getOpaqueView(MAX_LENGTH);
        try {
            return decodeValues(mask, values.remaining(), new XdrReader(values));
        } catch (XdrException e) {
            return UNREADABLE;
        }
    }

    private static Attributes decodeValues(AttributeMask mask, int length, XdrReader in) throws XdrException {
        int from = in.position();
        Object[] values = new Object[mask.size()];
        int index = 0;
        for (int number = mask.next(0); number >= 0; number = mask.next(number + 1)) {
            Attribute<?> attribute = Attribute.of(number);
            if (attribute == null) {
                break;
            }
            values[index++] = attribute.decodeValue(in);
        }
        int taken = in.position() - from;
        if (taken > length || (index == values.length && taken != length)) {
            throw new XdrException("attributes of " + taken + " octets that claim " + length, from - 4);
        }
        in.skip(length - taken);
        return new Attributes(mask, index == values.length ? values : Arrays.copyOf(values, index));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Attributes that && mask.equals(that.mask) && Arrays.equals(values, that.values);
    }

    @Override
    public int hashCode() {
        return 31 * mask.hashCode() + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        int index = 0;
        for (int number = mask.next(0); number >= 0 && index < values.length; number = mask.next(number + 1)) {
            text.append(index == 0 ? "" : ", ")
                    .append(Attribute.of(number))
                    .append('=')
                    .append(values[index++]);
        }
        return text.append(isComplete() ? "}" : ", ...}").toString();
    }
}
