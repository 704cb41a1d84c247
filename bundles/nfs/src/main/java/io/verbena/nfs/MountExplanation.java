package io.verbena.nfs;

/**
 * One fact about how a mount works, for people.
 *
 * @param subject what the fact is about, in a word or two, as {@code read}
 * @param answer the fact, in a few words
 * @param reason the reason: the figures that decide it
 */
public record MountExplanation(String subject, String answer, String reason) {}
