package io.verbena.verbs.natives.internal;

import java.util.List;

/**
 * The part of {@code ibv_port_attr} that is used.
 *
 * @param state {@code ibv_port_state}'s name without its prefix, as {@code ACTIVE}
 * @param ethernet whether the link layer is Ethernet rather than InfiniBand
 * @param gids in the textual form of an IPv6 address, those that are not zero
 */
record PortAttributes(String state, int activeMtu, boolean ethernet, List<String> gids) {}
