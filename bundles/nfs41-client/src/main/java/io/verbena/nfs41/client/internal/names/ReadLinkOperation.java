package io.verbena.nfs41.client.internal.names;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.client.internal.compound.CompoundWriter;
import io.verbena.nfs41.client.internal.compound.Results;
import java.io.IOException;

/** READLINK. */
final class ReadLinkOperation implements PathOperation<String> {
    private static final int MAX_REPLY = 8192;

    @Override
    public void encode(CompoundWriter operations, String name) {
        ReadLink.encodeArgs(operations.next());
    }

    @Override
    public String decode(Results results) throws IOException {
        return ReadLink.decodeResult(results.next(Opcode.READLINK)).text();
    }

    @Override
    public int maxReplySize() {
        return MAX_REPLY;
    }
}
