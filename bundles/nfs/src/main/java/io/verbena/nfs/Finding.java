package io.verbena.nfs;

/**
 * One thing that a mount tells of how it works, for people.
 *
 * @param subject what it is about, in a word or two, as {@code read}
 * @param answer how it is, in a few words
 * @param reason why it is so: the figures that decide it
 */
public record Finding(String subject, String answer, String reason) {}
