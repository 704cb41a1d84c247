package io.verbena.nfs41.client.internal.session;

import io.verbena.xdr.XdrWriter;

/**
 * A slot of a session (RFC 8881 section 2.10.6.1). It carries one request at a time. Used by the request that holds it.
 */
public final class Slot {
    private final int id;
    private final XdrWriter writer = new XdrWriter(1024);
    private int sequenceId = 1;

    Slot(int id) {
        this.id = id;
    }

    public int id() {
        return id;
    }

    /** The sequence number of the present request, or of the next one. */
    public int sequenceId() {
        return sequenceId;
    }

    /** The server has taken the sequence number: the next request has the next one. */
    public void advance() {
        sequenceId++;
    }

    /** The memory in which requests on this slot are encoded. */
    XdrWriter writer() {
        return writer;
    }
}
