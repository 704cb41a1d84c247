package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.vfs.Intercepted;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class ReadDirectoryTest extends ServerFixture {
    private static final AttributeMask TYPE = AttributeMask.of(Attribute.TYPE, Attribute.RDATTR_ERROR);

    private boolean spaceFails;

    @Override
    NfsServer server(ExportSettings settings) throws Exception {
        return new NfsServer(
                settings,
                state,
                memory,
                path -> Intercepted.directory(Directories.open(path), this::intercept),
                UnaryOperator.identity(),
                new ManualClock(clock::get));
    }

    private Object intercept(Object target, String method, Intercepted.Call real) throws Throwable {
        if (spaceFails && method.equals("space")) {
            throw new IOException("the disk is broken");
        }
        return real.make();
    }

    private Reply send(long cookie, long verifier, int dirCount, int maxCount) throws Exception {
        return send(new ReadDir.Args(cookie, verifier, dirCount, maxCount, TYPE));
    }

    private Reply send(ReadDir.Args args) throws Exception {
        return client.inSession(root(), out -> ReadDir.encodeArgs(out, args));
    }

    private Reply sendFor(AttributeMask request) throws Exception {
        return send(new ReadDir.Args(0, 0, 0, 4096, request));
    }

    private ReadDir.Result page(long cookie, long verifier, int dirCount, int maxCount) throws Exception {
        Reply reply = send(cookie, verifier, dirCount, maxCount);
        reply.ok(Opcode.PUTROOTFH);
        int before = reply.in.remaining();
        reply.ok(Opcode.READDIR);
        ReadDir.Result result = ReadDir.decodeResult(reply.in);
        assertThat(before - reply.in.remaining() - 8).isLessThanOrEqualTo(maxCount);
        return result;
    }

    private List<String> rest(ReadDir.Result first, int maxCount) throws Exception {
        List<String> names = new ArrayList<>();
        ReadDir.Result page = first;
        while (true) {
            page.entries().forEach(entry -> names.add(entry.name()));
            if (page.eof()) {
                return names;
            }
            long last = page.entries().get(page.entries().size() - 1).cookie();
            page = page(last, page.cookieVerifier(), 0, maxCount);
        }
    }

    private void fill(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            Files.createFile(directory.resolve("file-" + i));
        }
    }

    @Test
    void shouldListAnEmptyDirectory() throws Exception {
        ReadDir.Result page = page(0, 0, 0, 4096);
        assertThat(page.entries()).isEmpty();
        assertThat(page.eof()).isTrue();
    }

    @Test
    void shouldListEachOfManyEntriesOnce() throws Exception {
        fill(20_000);
        List<String> names = rest(page(0, 0, 8192, 32_768), 32_768);
        assertThat(names).hasSize(20_000).doesNotHaveDuplicates();
    }

    @Test
    void shouldGoOnAtACookieAfterARestartAndChanges() throws Exception {
        fill(200);
        ReadDir.Result first = page(0, 0, 0, 4096);
        assertThat(first.eof()).isFalse();
        String gone = first.entries().get(first.entries().size() - 1).name();
        Files.delete(directory.resolve(gone));
        restart(settings());
        clock.addAndGet(TimeUnit.SECONDS.toNanos(100));
        client = TestClient.connected(server, "first");
        List<String> names = rest(first, 4096);
        assertThat(names).hasSize(200).doesNotHaveDuplicates();
    }

    @Test
    void shouldPassOverWhatWasRemovedMeanwhile() throws Exception {
        fill(200);
        ReadDir.Result first = page(0, 0, 0, 4096);
        for (ReadDir.Entry entry : first.entries()) {
            Files.delete(directory.resolve(entry.name()));
        }
        List<String> names = rest(first, 4096);
        assertThat(names).hasSize(200);
        assertThat(rest(page(0, 0, 0, 4096), 4096))
                .hasSize(200 - first.entries().size());
    }

    @Test
    void shouldRefuseRoomForLessThanOneEntryAndReservedCookies() throws Exception {
        fill(2);
        assertThat(send(0, 0, 0, 32).status()).isEqualTo(Status.NFS4ERR_TOOSMALL);
        assertThat(send(1, 0, 0, 4096).status()).isEqualTo(Status.NFS4ERR_BAD_COOKIE);
        assertThat(send(2, 0, 0, 4096).status()).isEqualTo(Status.NFS4ERR_BAD_COOKIE);
    }

    @Test
    void shouldStopAtDircount() throws Exception {
        fill(100);
        assertThat(page(0, 0, 100, 65_536).entries()).hasSizeBetween(1, 10);
    }

    @Test
    void shouldTellTheSpaceOfTheFileSystem() throws Exception {
        fill(1);
        Files.move(directory, temporary.resolve("moved")); // the export lies where it was opened
        Reply reply = sendFor(AttributeMask.of(
                Attribute.SPACE_TOTAL, Attribute.SPACE_FREE, Attribute.FILES_TOTAL, Attribute.FILES_FREE));
        reply.ok(Opcode.PUTROOTFH, Opcode.READDIR);
        Attributes told = ReadDir.decodeResult(reply.in).entries().get(0).attributes();
        FileStore store = Files.getFileStore(temporary);
        assertThat(told.get(Attribute.SPACE_TOTAL)).isEqualTo(store.getTotalSpace());
        assertThat(told.get(Attribute.SPACE_FREE)).isPositive().isLessThan(store.getTotalSpace());
        assertThat(told.get(Attribute.FILES_FREE)).isLessThanOrEqualTo(told.get(Attribute.FILES_TOTAL));
    }

    /** RFC 8881 section 18.23.3. */
    @Test
    void shouldFailWhereAnAttributeCannotBeHadAndTheErrorWasNotAskedFor() throws Exception {
        fill(2);
        spaceFails = true;
        AttributeMask space = AttributeMask.of(Attribute.SPACE_FREE);
        assertThat(sendFor(space).status()).isEqualTo(Status.NFS4ERR_IO);
        Reply reply = sendFor(space.or(AttributeMask.of(Attribute.RDATTR_ERROR)));
        reply.ok(Opcode.PUTROOTFH, Opcode.READDIR);
        List<ReadDir.Entry> entries = ReadDir.decodeResult(reply.in).entries();
        assertThat(entries).hasSize(2);
        assertThat(entries)
                .noneMatch(
                        entry -> entry.attributes().get(Attribute.RDATTR_ERROR).isOk());
    }

    @Test
    void shouldListNamesAloneWithNoLookAtTheObjects() throws Exception {
        fill(100);
        for (AttributeMask request : List.of(AttributeMask.EMPTY, AttributeMask.of(Attribute.RDATTR_ERROR))) {
            ReadDir.Result first = names(0, 0, request);
            assertThat(first.eof()).isFalse();
            ReadDir.Entry last = first.entries().get(first.entries().size() - 1);
            for (int i = 0; i < 100; i++) {
                Files.delete(directory.resolve("file-" + i)); // what has no object has attributes no more
            }
            ReadDir.Result second = names(last.cookie(), first.cookieVerifier(), request);
            assertThat(second.eof()).isTrue();
            assertThat(first.entries().size() + second.entries().size()).isEqualTo(100);
            assertThat(second.entries())
                    .allMatch(entry -> entry.attributes().mask().equals(request)
                            && entry.attributes()
                                    .get(Attribute.RDATTR_ERROR, Status.NFS4_OK)
                                    .isOk());
            fill(100);
        }
    }

    private ReadDir.Result names(long cookie, long verifier, AttributeMask request) throws Exception {
        Reply reply = send(new ReadDir.Args(cookie, verifier, 0, 3000, request));
        reply.ok(Opcode.PUTROOTFH, Opcode.READDIR);
        return ReadDir.decodeResult(reply.in);
    }

    @Test
    void shouldRefuseAttributesThatCanOnlyBeSet() throws Exception {
        fill(2);
        AttributeMask request = AttributeMask.of(Attribute.TIME_MODIFY_SET, Attribute.RDATTR_ERROR);
        assertThat(sendFor(request).status()).isEqualTo(Status.NFS4ERR_INVAL);
    }
}
