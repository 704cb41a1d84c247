package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.util.ArrayList;
import java.util.List;

/** READDIR: entries of the current directory (RFC 8881 section 18.23). */
public final class ReadDir {
    private static final int MAX_ENTRIES = 1 << 20;

    private ReadDir() {}

    /**
     * The arguments.
     *
     * @param cookie of the entry behind which to go on, 0 for the first page
     * @param cookieVerifier the last page's, 0 for the first page
     * @param dirCount a hint: the most octets of names and cookies, unsigned
     * @param maxCount the most octets of {@code READDIR4resok}, unsigned
     * @param request the attributes to tell of each entry
     */
    public record Args(long cookie, long cookieVerifier, int dirCount, int maxCount, AttributeMask request) {}

    /**
     * An entry.
     *
     * @param cookie to go on behind it
     * @param name in the directory
     * @param attributes what there is of those asked for; of values that cannot be read, {@code rdattr_error}
     */
    public record Entry(long cookie, String name, Attributes attributes) {}

    /**
     * The results.
     *
     * @param cookieVerifier to go on with
     * @param entries a page of the directory, without {@code .} and {@code ..}
     * @param eof whether the page is the last one
     */
    public record Result(long cookieVerifier, List<Entry> entries, boolean eof) {}

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.READDIR).putLong(args.cookie).putLong(args.cookieVerifier);
        out.putInt(args.dirCount).putInt(args.maxCount);
        args.request.encode(out);
    }

    public static Args decodeArgs(XdrReader in) throws XdrException {
        return new Args(in.getLong(), in.getLong(), in.getInt(), in.getInt(), AttributeMask.decode(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        beginResult(out, result.cookieVerifier);
        result.entries.forEach(entry -> encodeEntry(out, entry));
        endResult(out, result.eof);
    }

    /** The first part of {@link #encodeResult}, for who writes entries as long as there is room. */
    public static void beginResult(XdrWriter out, long cookieVerifier) {
        Codec.ok(out, Opcode.READDIR).putLong(cookieVerifier);
    }

    /** Writes one entry; {@link XdrWriter#truncate} takes it back. */
    public static void encodeEntry(XdrWriter out, Entry entry) {
        out.putBoolean(true).putLong(entry.cookie).putText(entry.name);
        entry.attributes.encode(out);
    }

    /** As {@link #encodeEntry(XdrWriter, Entry)}, for values that are written one by one. */
    public static void encodeEntry(
            XdrWriter out, long cookie, String name, AttributeMask mask, Attributes.ValueWriter values) {
        out.putBoolean(true).putLong(cookie).putText(name);
        Attributes.encode(out, mask, values);
    }

    /** The last part of {@link #encodeResult}. */
    public static void endResult(XdrWriter out, boolean eof) {
        out.putBoolean(false).putBoolean(eof);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        long cookieVerifier = in.getLong();
        List<Entry> entries = new ArrayList<>();
        while (in.getBoolean()) {
            if (entries.size() == MAX_ENTRIES) {
                throw new XdrException("more than " + MAX_ENTRIES + " entries", in.position() - 4);
            }
            entries.add(new Entry(in.getLong(), in.getText(Codec.MAX_NAME), Attributes.decodeOfEntry(in)));
        }
        return new Result(cookieVerifier, entries, in.getBoolean());
    }
}
