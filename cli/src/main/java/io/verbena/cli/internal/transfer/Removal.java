package io.verbena.cli.internal.transfer;

/**
 * Something in the target that has to go, with what is in it, as far as the filter takes it.
 *
 * @param path from the top of the target
 */
record Removal(Location what, Node node, String path) {}
