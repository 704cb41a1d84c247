package io.verbena.verbs;

import java.util.Map;

/**
 * A device, or what stands for one in software.
 *
 * @param name as {@code rdma link} would show it
 * @param transport {@code iwarp}, {@code roce} or {@code infiniband}
 * @param active whether it can carry traffic now
 * @param attributes further facts for people to read, in the order to show them: addresses, limits, firmware. What
 *     {@link #ADDRESSES} says is for programs too
 */
public record RdmaDevice(String name, String transport, boolean active, Map<String, String> attributes) {
    /**
     * The attribute with the IP addresses by which the device is reached: that of its network interfaces, as text without
     * a host's name and with a comma and a space between two. It is there if there is an address. GIDs are none, though
     * those of RoCE devices are made of them.
     */
    public static final String ADDRESSES = "addresses";
}
