package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadLink;
import java.io.IOException;

/** READLINK. */
final class LinkTail implements Tail<String> {
    private static final int MAX_REPLY = 8192;

    @Override
    public void encode(Operations operations, String name) {
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
