package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs41.client.internal.compound.CompoundRequest;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;

/** A COMPOUND of SEQUENCE alone, which renews the lease (RFC 8881 section 8.3). */
public final class LeaseRenewalRequest extends CompoundRequest<Void> {
    @Override
    public void encode(CompoundWriter operations) {
        // SEQUENCE alone renews the lease
    }

    @Override
    public Void decode(Results results) {
        return null;
    }
}
