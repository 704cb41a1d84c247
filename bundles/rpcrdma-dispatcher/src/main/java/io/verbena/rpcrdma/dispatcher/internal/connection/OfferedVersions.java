package io.verbena.rpcrdma.dispatcher.internal.connection;

import io.verbena.rpcrdma.Framing;
import java.util.List;

/**
 * The versions that ERR_VERS names (RFC 8166 section 4.5.1). All numbers are unsigned.
 *
 * @param low the lowest of them
 * @param high the highest of them
 */
public record OfferedVersions(int low, int high) {
    /**
     * The range that answers a message of a version that this connection does not take. A connection whose version is
     * settled also refuses versions whose framings are present: the range never holds the refused version, and always
     * the settled one, so that a peer that goes on in a version of the range reaches the settled one.
     *
     * @param there the framings that are present, by ascending version; not empty where {@code settled} is null
     * @param settled the framing of the connection, or null before the first message that has one
     * @param refused the version of the message
     */
    public static OfferedVersions of(List<Framing> there, Framing settled, int refused) {
        int first = there.isEmpty() ? settled.version() : there.get(0).version();
        int last = there.isEmpty() ? first : there.get(there.size() - 1).version();
        if (settled == null) {
            return new OfferedVersions(first, last);
        }
        int version = settled.version();
        int low = min(first, version);
        int high = max(last, version);
        int side = Integer.compareUnsigned(refused, version);
        return new OfferedVersions(
                side < 0 ? max(low, refused + 1) : low, //
                side > 0 ? min(high, refused - 1) : high);
    }

    private static int min(int one, int other) {
        return Integer.compareUnsigned(one, other) < 0 ? one : other;
    }

    private static int max(int one, int other) {
        return Integer.compareUnsigned(one, other) > 0 ? one : other;
    }
}
