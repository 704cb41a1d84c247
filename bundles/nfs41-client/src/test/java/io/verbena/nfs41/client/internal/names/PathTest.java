package io.verbena.nfs41.client.internal.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.nfs41.client.internal.util.PathSteps;
import java.io.IOException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.NotDirectoryException;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PathTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/,''",
        "/a//b/,a b",
        "/./a/./b,a b",
        "/..,''",
        "/../../a,a",
        "/a/../../b,a .. b",
        "/a/b/../../..,a b .. .."
    })
    void shouldNeverLeadAboveTheExport(String path, String steps) {
        assertThat(String.join(" ", PathSteps.contain(PathSteps.split(path)))).isEqualTo(steps);
    }

    @ParameterizedTest
    @CsvSource({"1,x/y,a x y c", "1,/x,x c", "0,.., .. b c", "2,'',a b"})
    void shouldPutALinksTextInItsPlace(int index, String text, String steps) {
        assertThat(PathSteps.replaceLink(List.of("a", "b", "c"), index, text == null ? "" : text))
                .isEqualTo(List.of(steps.split(" ", -1)));
    }

    @ParameterizedTest
    @CsvSource({"/,false", "/.,true", ".,true", "/a/.,true", "/a/.//,true", "/a/..,false", "'',false"})
    void shouldSeeADotAtTheEnd(String path, boolean isDotted) {
        assertThat(PathSteps.endsWithDot(path)).isEqualTo(isDotted);
        assertThat(PathSteps.nameInSameDirectory("/x", path)).isNull();
        assertThat(PathSteps.nameInSameDirectory("/a/./x", "/a/y/.")).isNull();
    }

    @Test
    void shouldWalkInOneCompound() throws IOException {
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            mount.attributes("/a/b/../c", true);
            assertThat(server.seen).hasSize(before + 1);
            assertThat(server.opcodesSince(before))
                    .containsExactly(
                            Opcode.SEQUENCE,
                            Opcode.PUTFH,
                            Opcode.LOOKUP,
                            Opcode.LOOKUP,
                            Opcode.LOOKUPP,
                            Opcode.LOOKUP,
                            Opcode.GETATTR,
                            Opcode.GETATTR);
        }
    }

    @Test
    void shouldKeepToTheOperationsThatASessionAllows() throws IOException {
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            mount.attributes("/a".repeat(50), true);
            List<FakeServer.Seen> seen = List.copyOf(server.seen.subList(before, server.seen.size()));
            assertThat(seen)
                    .hasSizeGreaterThan(3)
                    .allMatch(each -> each.opcodes().size() <= FakeServer.MAX_OPERATIONS);
            assertThat(server.opcodesSince(before).stream()
                            .filter(opcode -> opcode == Opcode.LOOKUP)
                            .count())
                    .isEqualTo(50);
        }
    }

    @Test
    void shouldFollowALinkOnTheWayAndAtTheEnd() throws IOException {
        server.link("link", "target");
        try (NfsMount mount = server.mount("")) {
            assertThat(mount.attributes("/link/file", true).isRegularFile()).isTrue();
            assertThat(mount.attributes("/link", true).isRegularFile()).isTrue();
            assertThat(mount.attributes("/link", false).isSymbolicLink()).isTrue();
            assertThat(mount.readLink("/link")).isEqualTo("target");
        }
    }

    @Test
    void shouldRefuseALinkForACallerWhoFollowsLinksHimself() throws IOException {
        server.link("link", "target");
        try (NfsMount mount = server.mount("links=off")) {
            assertThatThrownBy(() -> mount.attributes("/link/file", false))
                    .isInstanceOfSatisfying(
                            NfsException.class, e -> assertThat(e.status()).isEqualTo("NFS4ERR_SYMLINK"));
            assertThatThrownBy(() -> mount.remove("/link/file")).hasMessageContaining("links=off");
            assertThatThrownBy(() -> mount.attributes("/link", true)).hasMessageContaining("links=off");
            assertThat(mount.attributes("/link", false).isSymbolicLink()).isTrue();
            assertThat(mount.readLink("/link")).isEqualTo("target");
        }
    }

    @Test
    void shouldChangeTheAttributesOfWhatALinkLeadsToAndNotOfTheLink() throws IOException {
        server.link("link", "target");
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            mount.setAttributes("/link", AttributeChanges.NONE.withMode(0600));
            assertThat(server.opcodesSince(before))
                    .containsOnlyOnce(Opcode.SETATTR)
                    .endsWith(Opcode.LOOKUP, Opcode.GETATTR, Opcode.NVERIFY, Opcode.SETATTR, Opcode.GETATTR);
        }
    }

    @Test
    void shouldChangeTheAttributesOfALinkItselfWhereItIsNotFollowed() throws IOException {
        server.link("link", "target");
        try (NfsMount mount = server.mount("")) {
            int before = server.seen.size();
            mount.setAttributes("/link", AttributeChanges.NONE.withTimes(Instant.EPOCH, Instant.EPOCH), false);
            assertThat(server.opcodesSince(before))
                    .doesNotContain(Opcode.READLINK, Opcode.NVERIFY)
                    .endsWith(Opcode.LOOKUP, Opcode.GETATTR, Opcode.SETATTR, Opcode.GETATTR);
        }
    }

    @Test
    void shouldGiveUpOnALinkThatLeadsToItself() throws IOException {
        server.link("loop", "./loop");
        try (NfsMount mount = server.mount("")) {
            assertThatThrownBy(() -> mount.attributes("/loop", true))
                    .isInstanceOf(FileSystemLoopException.class)
                    .hasMessageContaining("m:/loop");
        }
    }

    /** While a link is read, the server tells that the directory before it is a link, which leads to itself. */
    @Test
    void shouldCountTheLinksOnTheWayToALinkToo() throws IOException {
        List<String> told = List.of("b", "a", "a", "b");
        AtomicInteger requests = new AtomicInteger();
        try (NfsMount mount = server.mount("")) {
            server.onRequest = () -> {
                String link = told.get(requests.getAndIncrement() % told.size());
                server.unlink(link.equals("a") ? "b" : "a");
                server.link(link, link);
            };
            assertThatThrownBy(() -> mount.attributes("/a/b", true)).isInstanceOf(FileSystemLoopException.class);
            server.onRequest = () -> {};
            assertThat(server.executed(Opcode.READLINK)).isEqualTo(PathSteps.MAX_LINKS);
        }
    }

    @Test
    void shouldRemoveNothingWithoutANameOfItsOwn() throws IOException {
        try (NfsMount mount = server.mount("")) {
            assertThatThrownBy(() -> mount.remove("/a/..")).hasMessageContaining("no name of its own");
            assertThatThrownBy(() -> mount.remove("/")).hasMessageContaining("no name of its own");
            assertThatThrownBy(() -> mount.remove("/.")).hasMessageContaining("no name of its own");
            assertThatThrownBy(() -> mount.remove("/a/.")).isInstanceOf(NotDirectoryException.class);
            assertThat(server.executed(Opcode.REMOVE)).isZero();
        }
    }

    @Test
    void shouldChangeNothingOnAReadOnlyMount() throws IOException {
        try (NfsMount mount = server.mount("ro")) {
            int before = server.seen.size();
            assertThatThrownBy(() -> mount.remove("/a")).hasMessageContaining("mounted read-only");
            assertThatThrownBy(() -> mount.open("/a", Set.of(StandardOpenOption.WRITE), 0600))
                    .hasMessageContaining("mounted read-only");
            assertThat(server.seen).hasSize(before);
        }
    }
}
