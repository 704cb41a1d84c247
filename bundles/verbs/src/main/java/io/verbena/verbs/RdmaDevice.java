package io.verbena.verbs;

import java.util.Map;

/**
 * A device, or its equivalent in software.
 *
 * @param name the name that {@code rdma link} shows
 * @param transport {@code iwarp}, {@code roce} or {@code infiniband}
 * @param active whether it can carry traffic now
 * @param attributes further facts for people to read, in the order of display: addresses, limits, firmware. Programs
 *     may read {@link #ADDRESSES}
 */
public record RdmaDevice(String name, String transport, boolean active, Map<String, String> attributes) {
    /**
     * The attribute with the device's IP addresses: those of its network interfaces, as text without host names,
     * separated by a comma and a space. Absent where there is no address. GIDs are not IP addresses, although the GIDs
     * of RoCE devices are derived from them.
     */
    public static final String ADDRESSES = "addresses";
}
