package io.verbena.nfs.nio.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names are octets, and paths keep them: a lone surrogate U+DCNN is the octet 0xNN that is no part of UTF-8. */
class OctetNamesTest {
    private final FakeServer server = new FakeServer();

    @AfterEach
    void end() throws IOException {
        server.close();
    }

    private NfsPath path(String text) {
        return server.files.getPath(text);
    }

    @Test
    void shouldListNamesThatAreNoUtf8() throws IOException {
        server.directory.list("caf\udce9.txt");
        server.directory.list("\udcff");
        List<Path> listed = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path("/"), "caf?.*")) {
            entries.forEach(listed::add);
        }
        assertThat(listed).containsExactly(path("/caf\udce9.txt"));
        assertThat(listed.get(0).getFileName()).isEqualTo(path("caf\udce9.txt"));
        assertThat(listed.get(0).toUri()).isEqualTo(URI.create("nfs+rdma:work:/caf%E9.txt"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/caf\udce9", "/\udcc3/\udca9", "/a b%c", "/größe/\ud83d\ude00\udc80", "/\n\u007f", "/?#"})
    void shouldComeBackByTextAndByUri(String text) {
        NfsPath path = path(text);
        assertThat(path(path.toString())).isEqualTo(path).hasToString(text);
        assertThat(server.provider.getPath(path.toUri())).isEqualTo(path);
        assertThat(server.provider.getPath(URI.create(path.toUri().toString()))).isEqualTo(path);
    }

    @Test
    void shouldTakeOctetsThatAreUtf8TogetherForTheSameName() {
        assertThat(path("/\udcc3\udca9")).isEqualTo(path("/é")).hasToString("/é");
        assertThat(server.provider.getPath(URI.create("nfs+rdma:work:/%C3%A9"))).isEqualTo(path("/é"));
        assertThat(server.provider.getPath(URI.create("nfs+rdma:work:/é"))).isEqualTo(path("/é"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\ud800", "\udc00", "\udc7f", "\udd00", "a\ud83d"})
    void shouldRefuseSurrogatesThatStandForNoOctet(String name) {
        assertThatThrownBy(() -> path("/" + name)).isInstanceOf(InvalidPathException.class);
        assertThatThrownBy(() -> path("/").resolve(name)).isInstanceOf(InvalidPathException.class);
    }

    @ParameterizedTest
    @CsvSource({"a,b", "\uffff,\ud83d\ude00", "z,\udc80", "\udc80,é", "é,\udcff", "\udc80,\udc81"})
    void shouldBeInTheOrderOfOctets(String less, String more) {
        assertThat(path(less)).isLessThan(path(more));
        assertThat(path(more)).isGreaterThan(path(less));
        assertThat(path(more)).isEqualByComparingTo(path(more));
    }

    @Test
    void shouldCompareNamesByOctets() {
        NfsPath path = path("/d\udce9/\udcff");
        assertThat(path.startsWith(path("/d\udce9"))).isTrue();
        assertThat(path.startsWith(path("/d\udce8"))).isFalse();
        assertThat(path.endsWith("\udcff")).isTrue();
        assertThat(path("/d\udce9").relativize(path)).isEqualTo(path("\udcff"));
        assertThat(server.files.getPathMatcher("glob:/d?/[\udcfe-\udcff]").matches(path))
                .isTrue();
        assertThat(server.files.getPathMatcher("glob:/d\udce9/*").matches(path)).isTrue();
        assertThat(server.files.getPathMatcher("glob:/d\udce8/*").matches(path)).isFalse();
    }
}
