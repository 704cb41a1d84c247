package io.verbena.verbs;

import java.util.Map;

/**
 * A device, or what stands for one in software.
 *
 * @param name as {@code rdma link} would show it
 * @param transport {@code iwarp}, {@code roce} or {@code infiniband}
 * @param active whether it can carry traffic now
 * @param attributes further facts for people to read, in the order to show them: addresses, limits, firmware
 */
public record RdmaDevice(String name, String transport, boolean active, Map<String, String> attributes) {}
