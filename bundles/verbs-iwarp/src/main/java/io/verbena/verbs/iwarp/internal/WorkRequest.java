package io.verbena.verbs.iwarp.internal;

import io.verbena.verbs.Completion;

/** One place in the send queue, filled anew for each post. */
final class WorkRequest {
    long id;
    Completion.Operation operation = Completion.Operation.SEND;
    /** The RDMAP opcode that it goes out with. */
    int opcode;

    Region region;
    long offset;
    int length;
    /** The peer's steering tag: written to, read from, or to invalidate. */
    int remoteTag;

    long remoteOffset;
    boolean signaled;

    /** Of a read: the tag that its response has to bear; the tagged offset starts at 0. */
    int sinkTag;
    /** Of a read: the octets that have come. */
    int received;
    /** Of a read: all has come. */
    boolean responded;

    boolean isRead() {
        return opcode == Iwarp.READ_REQUEST;
    }
}
