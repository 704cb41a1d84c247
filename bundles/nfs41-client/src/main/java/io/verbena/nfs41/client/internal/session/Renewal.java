package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.client.internal.compound.Operations;
import io.verbena.nfs41.client.internal.compound.Request;
import io.verbena.nfs41.client.internal.compound.Results;

/** A COMPOUND of SEQUENCE alone, which renews the lease (RFC 8881 section 8.3). */
public final class Renewal extends Request<Void> {
    @Override
    public void encode(Operations operations) {
        // SEQUENCE alone renews the lease
    }

    @Override
    public Void decode(Results results) {
        return null;
    }
}
