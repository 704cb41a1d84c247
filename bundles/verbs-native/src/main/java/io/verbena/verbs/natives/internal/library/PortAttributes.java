package io.verbena.verbs.natives.internal.library;

import java.util.List;

/**
 * The members of {@code ibv_port_attr} that are used.
 *
 * @param state the name of the {@code ibv_port_state} without its prefix, such as {@code ACTIVE}
 * @param ethernet whether the link layer is Ethernet rather than InfiniBand
 * @param gids in the textual form of an IPv6 address, those that are not zero
 */
public record PortAttributes(String state, int activeMtu, boolean ethernet, List<String> gids) {}
