package io.verbena.nfs41.client.internal;

import io.verbena.xdr.XdrWriter;

/** A slot of a session (RFC 8881 section 2.10.6.1): one request at a time, numbered. Belongs to who acquired it. */
final class Slot {
    private final int id;
    private final XdrWriter writer = new XdrWriter(1024);
    private int sequenceId = 1;

    Slot(int id) {
        this.id = id;
    }

    int id() {
        return id;
    }

    /** The number of the request that is on its way or comes next. */
    int sequenceId() {
        return sequenceId;
    }

    /** The server has executed the request. */
    void advance() {
        sequenceId++;
    }

    /** Memory for the request; a slot has one at a time. */
    XdrWriter writer() {
        return writer;
    }
}
