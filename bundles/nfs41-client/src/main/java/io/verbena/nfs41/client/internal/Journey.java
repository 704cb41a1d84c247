package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.rpc.RpcCall;

/** What is measured of one request, from when it was made to its end. Belongs to its {@link Exchange}. */
final class Journey implements Runnable {
    private final Requester requester;
    private final long madeNanos = System.nanoTime();
    private int operation;
    private Meter meter;
    private int attempts;
    private long waitedNanos;
    private long sentNanos;
    private long roundTripNanos;
    private long sentOctets;
    private long receivedOctets;
    private RpcCall call;
    private int xid;

    Journey(Requester requester) {
        this.requester = requester;
    }

    /** The request is encoded. */
    void encoded(int characteristic, RpcCall encoded) {
        call = encoded;
        if (meter == null) {
            operation = characteristic;
            meter = requester.meters().of(characteristic);
        }
    }

    /** It is about to be handed to the transport. */
    @Override
    public void run() {
        sentNanos = System.nanoTime();
        sentOctets = call.message().fullSize();
        if (attempts++ == 0) {
            waitedNanos = sentNanos - madeNanos;
            meter.sent(sentOctets, waitedNanos);
        } else {
            meter.sentAgain(sentOctets);
        }
    }

    /** The server has answered, with so many octets. */
    void answered(long octets) {
        roundTripNanos = System.nanoTime() - sentNanos;
        xid = call.xid();
        receivedOctets = octets;
        meter.answered(octets, roundTripNanos);
    }

    /** No answer has come to the last attempt, or none that could be read. */
    void unanswered() {
        xid = call.xid(); // while the memory is this request's: it belongs to the slot
    }

    /**
     * The request is over. Its slot may be another's by now.
     *
     * @param slot the slot's number
     */
    void ended(Session session, int slot, Throwable failure) {
        if (meter != null) {
            call = null;
            meter.ended(failure != null);
            RequestEvents.ended(this, session, slot, failure);
        }
    }

    String mount() {
        return requester.settings().name();
    }

    String operation() {
        return Opcode.name(operation);
    }

    int attempts() {
        return attempts;
    }

    long madeNanos() {
        return madeNanos;
    }

    long waitedNanos() {
        return waitedNanos;
    }

    long roundTripNanos() {
        return roundTripNanos;
    }

    long sentOctets() {
        return sentOctets;
    }

    long receivedOctets() {
        return receivedOctets;
    }

    /** That of the last attempt. */
    int xid() {
        return xid;
    }
}
