package io.verbena.nfs41.client.internal;

/** A COMPOUND of SEQUENCE alone, which renews the lease (RFC 8881 section 8.3). */
final class Renewal extends Request<Void> {
    @Override
    void encode(Operations operations) {
        // SEQUENCE says it all
    }

    @Override
    Void decode(Results results) {
        return null;
    }
}
