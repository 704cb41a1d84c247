package io.verbena.nfs41.server.internal.util;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.server.internal.vfs.DirectoryListings;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.runtime.SystemRuntime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HeapShareTest {
    private static final int LIMIT = 1 << 20;

    private final HeapShare share = new HeapShare(LIMIT);
    private final HeapShare.Part one = share.part();
    private final HeapShare.Part other = share.part();

    @TempDir
    Path directory;

    @Test
    void shouldGiveAllToOneWhileOthersHoldNothing() {
        one.add(LIMIT);
        assertThat(one.isAbove(LIMIT)).isFalse();
        one.add(1);
        assertThat(one.isAbove(LIMIT)).isTrue();
        assertThat(other.isAbove(LIMIT)).isFalse();
    }

    @Test
    void shouldHaveThoseDropSomeThatHoldMoreThanTheirPart() {
        AtomicInteger told = new AtomicInteger();
        share.addListener(told::incrementAndGet);
        one.add(LIMIT);
        one.askOthers();
        assertThat(told).hasValue(0);
        other.add(LIMIT / 2);
        other.askOthers();
        assertThat(told).hasValue(1);
        assertThat(one.isAbove(LIMIT)).isTrue();
        assertThat(other.isAbove(LIMIT)).isFalse();
        other.add(1);
        assertThat(other.isAbove(LIMIT)).isTrue();
        one.add(-LIMIT);
        assertThat(other.isAbove(LIMIT)).isFalse();
        other.askOthers();
        assertThat(told).hasValue(1);
    }

    @Test
    void shouldCountThoseThatHoldSomething() {
        one.add(LIMIT);
        assertThat(other.spare()).isEqualTo(LIMIT / 2);
        other.add(LIMIT / 4);
        assertThat(other.spare()).isEqualTo(LIMIT / 4);
        one.add(-LIMIT);
        assertThat(other.spare()).isEqualTo(LIMIT - LIMIT / 4);
        other.add(-LIMIT / 4);
        assertThat(one.spare()).isEqualTo(LIMIT);
        assertThat(share.held()).isZero();
    }

    @Test
    void shouldKeepAListingWhateverAnotherExportHolds() throws Exception {
        one.add(LIMIT); // an idle one
        for (int i = 0; i < 100; i++) {
            Files.createFile(directory.resolve("file-" + i));
        }
        try (ExportTree tree =
                new ExportTree(directory, new SipHash(new byte[SipHash.KEY_BYTES], 0), 2, new SystemRuntime())) {
            DirectoryListings listings = new DirectoryListings(
                    tree, new SipHash(new byte[SipHash.KEY_BYTES], 0), share, new SystemRuntime());
            DirectoryListings.Listing first = listings.listing(tree.root(), 0, 0);
            DirectoryListings.Listing second = listings.listing(tree.root(), 0, 0);
            listings.dropOld();
            assertThat(first.isComplete()).isTrue();
            assertThat(listings.isKept(tree.root(), first.verifier(), 0)).isTrue();
            assertThat(listings.isKept(tree.root(), second.verifier(), 0)).isTrue();
            listings.close();
        }
        assertThat(share.held()).isEqualTo(LIMIT);
    }
}
