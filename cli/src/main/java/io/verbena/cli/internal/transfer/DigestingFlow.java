package io.verbena.cli.internal.transfer;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Finds the SHA-256 of what is moved, where that is moved once: from what is read again nothing right comes. */
final class DigestingFlow implements Flow {
    private final Flow flow;
    private final MessageDigest digest = Contents.newDigest();

    DigestingFlow(Flow flow) {
        this.flow = flow;
    }

    @Override
    public void beforeRead(int octets) throws InterruptedException {
        flow.beforeRead(octets);
    }

    @Override
    public void beforeWrite(int octets) throws InterruptedException {
        flow.beforeWrite(octets);
    }

    @Override
    public void moved(ByteBuffer block) {
        flow.moved(block);
        digest.update(block.duplicate());
    }

    String digest() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
