package io.verbena.nfs;

import java.time.Duration;
import java.time.Instant;

/**
 * Something that an operation of a mount waits for because the server has put it off, and asks for again until it is had.
 *
 * @param status why, as in RFC 8881 section 15: {@code NFS4ERR_DELAY}, {@code NFS4ERR_GRACE}, {@code NFS4ERR_DENIED}
 * @param since when the server put it off for the first time
 * @param lease the server's: after a restart of the server, or of another client that has died, it is over after about
 *     that long
 * @param message a line for people: what waits, what for and how long
 */
public record Waiting(String status, Instant since, Duration lease, String message) {}
