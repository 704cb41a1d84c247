package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code bitmap4} of attribute numbers (RFC 8881 section 3.3.7): those of NFSv4.1 and 4.2 fit in three words. Higher
 * ones, which are nobody's yet, are read over.
 *
 * @param word0 attributes 0 to 31, the lowest bit first
 * @param word1 attributes 32 to 63
 * @param word2 attributes 64 to 95
 */
public record AttributeMask(int word0, int word1, int word2) {
    public static final AttributeMask EMPTY = new AttributeMask(0, 0, 0);

    private static final int WORDS = 3;

    /** All attribute numbers are lower. */
    public static final int LIMIT = WORDS * 32;

    private static final int MAX_WORDS = 64;

    /** The mask that holds just these. */
    public static AttributeMask of(Attribute<?>... attributes) {
        AttributeMask mask = EMPTY;
        for (Attribute<?> attribute : attributes) {
            mask = mask.with(attribute.number());
        }
        return mask;
    }

    /** The mask of numbers, as other lists have it that are {@code bitmap4}. */
    static AttributeMask ofNumbers(int... numbers) {
        AttributeMask mask = EMPTY;
        for (int number : numbers) {
            mask = mask.with(number);
        }
        return mask;
    }

    public boolean contains(Attribute<?> attribute) {
        return contains(attribute.number());
    }

    boolean contains(int number) {
        return number < LIMIT && (word(number >> 5) & 1 << (number & 31)) != 0;
    }

    public AttributeMask with(Attribute<?> attribute) {
        return with(attribute.number());
    }

    private AttributeMask with(int number) {
        int bit = 1 << (number & 31);
        return switch (number >> 5) {
            case 0 -> new AttributeMask(word0 | bit, word1, word2);
            case 1 -> new AttributeMask(word0, word1 | bit, word2);
            case 2 -> new AttributeMask(word0, word1, word2 | bit);
            default -> throw new IllegalArgumentException("attribute number " + number);
        };
    }

    public AttributeMask and(AttributeMask that) {
        return new AttributeMask(word0 & that.word0, word1 & that.word1, word2 & that.word2);
    }

    public AttributeMask or(AttributeMask that) {
        return new AttributeMask(word0 | that.word0, word1 | that.word1, word2 | that.word2);
    }

    /** Those that {@code that} does not hold. */
    public AttributeMask minus(AttributeMask that) {
        return new AttributeMask(word0 & ~that.word0, word1 & ~that.word1, word2 & ~that.word2);
    }

    public boolean isEmpty() {
        return (word0 | word1 | word2) == 0;
    }

    /** How many it holds. */
    public int size() {
        return Integer.bitCount(word0) + Integer.bitCount(word1) + Integer.bitCount(word2);
    }

    /** How many it holds of lower numbers. */
    int rank(int number) {
        int rank = 0;
        for (int i = 0; i < number >> 5; i++) {
            rank += Integer.bitCount(word(i));
        }
        return rank + Integer.bitCount(word(number >> 5) & (1 << (number & 31)) - 1);
    }

    /** The lowest number of at least {@code from} that it holds, or -1. */
    int next(int from) {
        for (int index = from >> 5; index < WORDS; index++) {
            int rest = index == from >> 5 ? word(index) & -1 << (from & 31) : word(index);
            if (rest != 0) {
                return (index << 5) + Integer.numberOfTrailingZeros(rest);
            }
        }
        return -1;
    }

    private int word(int index) {
        return switch (index) {
            case 0 -> word0;
            case 1 -> word1;
            default -> word2;
        };
    }

    /** Writes as many words as there are up to the last that is not 0. */
    public void encode(XdrWriter out) {
        int words = word2 != 0 ? 3 : word1 != 0 ? 2 : word0 != 0 ? 1 : 0;
        out.putInt(words);
        for (int i = 0; i < words; i++) {
            out.putInt(word(i));
        }
    }

    public static AttributeMask decode(XdrReader in) throws XdrException {
        int words = in.getCount(MAX_WORDS, 4);
        int word0 = words > 0 ? in.getInt() : 0;
        int word1 = words > 1 ? in.getInt() : 0;
        int word2 = words > 2 ? in.getInt() : 0;
        in.skip(4 * Math.max(0, words - WORDS));
        return new AttributeMask(word0, word1, word2);
    }
}
