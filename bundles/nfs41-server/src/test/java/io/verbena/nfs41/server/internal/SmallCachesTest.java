package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.util.CacheShares;
import io.verbena.nfs41.server.internal.util.HeapShare;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Directories that are larger than what the server may keep of them. */
class SmallCachesTest extends ServerFixture {
    private static final int LISTINGS = 64 << 10;
    private static final int OBJECTS = 64 << 10;
    private static final AttributeMask TYPE = AttributeMask.of(Attribute.TYPE, Attribute.RDATTR_ERROR);

    @Override
    CacheShares caches() {
        return new CacheShares(new HeapShare(LISTINGS), new HeapShare(OBJECTS));
    }

    private ReadDir.Result page(long cookie, long verifier) throws Exception {
        Reply reply = client.inSession(
                root(), out -> ReadDir.encodeArgs(out, new ReadDir.Args(cookie, verifier, 0, 2048, TYPE)));
        reply.ok(Opcode.PUTROOTFH, Opcode.READDIR);
        return ReadDir.decodeResult(reply.in);
    }

    private void fill(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            Files.createFile(directory.resolve("file-" + i));
        }
    }

    private List<String> all(ReadDir.Result first) throws Exception {
        List<String> names = new ArrayList<>();
        ReadDir.Result page = first;
        while (true) {
            assertThat(memory.caches().listings().held()).isLessThanOrEqualTo(LISTINGS);
            page.entries().forEach(entry -> names.add(entry.name()));
            if (page.eof()) {
                return names;
            }
            assertThat(page.entries()).isNotEmpty();
            page = page(page.entries().get(page.entries().size() - 1).cookie(), page.cookieVerifier());
        }
    }

    @Test
    void shouldListADirectoryThatIsLargerThanItsShareOfTheHeap() throws Exception {
        fill(3000);
        List<String> names = all(page(0, 0));
        assertThat(names).hasSize(3000).doesNotHaveDuplicates();
    }

    @Test
    void shouldPassOverAPartWhoseNamesHaveAllGone() throws Exception {
        fill(3000);
        ReadDir.Result first = page(0, 0);
        try (var files = Files.list(directory)) {
            for (var file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.createFile(directory.resolve("new"));
        List<String> names = all(first);
        assertThat(names).hasSizeBetween(first.entries().size(), first.entries().size() + 1);
    }

    @Test
    void shouldFindObjectsAgainThatItHasForgotten() throws Exception {
        fill(1000);
        List<FileHandle> handles = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            handles.add(client.handle("file-" + i));
            // some are dropped at a time, and before another one comes
            assertThat(memory.caches().objects().held()).isLessThan(OBJECTS + 1024);
        }
        for (FileHandle handle : List.of(handles.get(0), handles.get(500), handles.get(999))) {
            assertThat(client.inSession(TestClient.fh(handle), TestClient.attributes(Attribute.SIZE))
                            .status())
                    .isEqualTo(Status.NFS4_OK);
        }
    }

    @Test
    void shouldTakeNothingWhenItIsClosed() throws Exception {
        fill(100);
        assertThat(all(page(0, 0))).hasSize(100);
        assertThat(client.handle("file-1")).isNotNull();
        assertThat(memory.caches().listings().held()).isPositive();
        assertThat(memory.caches().objects().held()).isPositive();
        server.close();
        assertThat(memory.caches().listings().held()).isZero();
        assertThat(memory.caches().objects().held()).isZero();
    }
}
