package io.verbena.nfs.transfer.internal.block;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Computes the SHA-256 of octets as they are moved. The digest is correct only if each octet is moved exactly once. */
public final class DigestingFlow implements BlockObserver {
    private final BlockObserver flow;
    private final MessageDigest digest = Contents.newDigest();

    public DigestingFlow(BlockObserver flow) {
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
    public void moved(ByteBuffer block) throws IOException {
        flow.moved(block);
        digest.update(block.duplicate());
    }

    public String digest() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
