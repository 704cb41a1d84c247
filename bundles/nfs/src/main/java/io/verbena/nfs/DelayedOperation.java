package io.verbena.nfs;

import java.time.Duration;
import java.time.Instant;

/**
 * An operation of a mount that is delayed: the server has put it off, or this host lacks memory or device resources.
 * The mount asks again until the operation succeeds.
 *
 * @param status the reason, as in RFC 8881 section 15: {@code NFS4ERR_DELAY}, {@code NFS4ERR_GRACE},
 *     {@code NFS4ERR_DENIED}; {@code LOCAL_RESOURCES} if this host lacks memory or device resources
 * @param since when the operation was put off for the first time
 * @param lease the server's lease time; after a restart of the server, or the death of another client, the delay ends
 *     after about that time
 * @param message a line for people: which operation waits, for what, and how long
 */
public record DelayedOperation(String status, Instant since, Duration lease, String message) {}
