package io.verbena.nfs41.client.internal.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Opaque;
import io.verbena.rpc.Credential;
import io.verbena.runtime.Runtime;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What name a mount has with its server: see {@code KilledClientTest} for several processes. */
class ClientOwnerTest {
    private static final Runtime RUNTIME = new SystemRuntime();
    private static final Credential.Sys ROOT = new Credential.Sys(0, "host", 0, 0, List.of());
    private static final Credential.Sys USER = new Credential.Sys(0, "host", 1000, 100, List.of());

    @TempDir
    Path state;

    private ClientOwner take(String mount) {
        return ClientOwner.take(state, mount, ROOT, Optional.empty(), RUNTIME);
    }

    private static String text(ClientOwner owner) {
        return new String(owner.id().toByteArray(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldHaveTheSameNameWhenItIsMadeAgain() {
        Opaque before;
        try (ClientOwner owner = take("m")) {
            before = owner.id();
            assertThat(text(owner)).matches("verbena/[0-9a-f]{32}/0/m/0-[0-9a-f]{8}/0");
        }
        try (ClientOwner owner = take("m")) {
            assertThat(owner.id()).isEqualTo(before);
        }
    }

    /** Before the end of its block. */
    private static void close(ClientOwner owner) {
        owner.close();
    }

    @Test
    void shouldDifferByMountAndUserAndAmongMountsOfOneName() {
        try (ClientOwner one = take("m");
                ClientOwner two = take("m");
                ClientOwner other = take("n");
                ClientOwner user = ClientOwner.take(state, "m", USER, Optional.empty(), RUNTIME);
                ClientOwner none = ClientOwner.take(state, "m", Credential.none(), Optional.empty(), RUNTIME)) {
            assertThat(List.of(one.id(), two.id(), other.id(), user.id(), none.id()))
                    .doesNotHaveDuplicates();
            assertThat(text(two)).endsWith("/1");
            Opaque second = two.id();
            close(two);
            try (ClientOwner again = take("m")) {
                assertThat(again.id()).isEqualTo(second);
            }
        }
    }

    @Test
    void shouldKeepTheNameOfTheMountBefore() throws IOException {
        Opaque before;
        try (ProcessNumber inTheWay = ProcessNumber.take(state, OptionalInt.empty(), RUNTIME.random());
                ProcessNumber third = ProcessNumber.take(state, OptionalInt.of(3), RUNTIME.random())) {
            assertThat(inTheWay.number()).isZero();
            assertThat(third.number()).isEqualTo(3);
            try (ClientOwner owner = ClientOwner.take(
                    state, "m", ROOT, Optional.of(Opaque.of("verbena/" + "0".repeat(32) + "/3/m/0-0/0")), RUNTIME)) {
                assertThat(text(owner)).contains("/3/m/");
                before = owner.id();
            }
        }
        try (ClientOwner owner = ClientOwner.take(state, "m", ROOT, Optional.of(before), RUNTIME)) {
            assertThat(owner.id()).isEqualTo(before);
        }
    }

    @Test
    void shouldGiveTheSlotBackWithTheLastMount() throws IOException {
        String property = "verbena.client.slot." + state.toRealPath().resolve("clients/slot-0");
        try (ClientOwner one = take("m")) {
            take("n").close();
            assertThat(System.getProperty(property)).isEqualTo("held");
            close(one);
            assertThat(System.getProperty(property)).isNull();
            System.setProperty(property, "held"); // as by another class loader
            try (ClientOwner other = take("m")) {
                assertThat(text(other)).contains("/1/m/");
            }
        } finally {
            System.clearProperty(property);
        }
    }

    @Test
    void shouldDifferByStateDirectory() throws IOException {
        Path other = Files.createDirectory(state.resolve("other"));
        try (ClientOwner one = take("m");
                ClientOwner two = ClientOwner.take(other, "m", ROOT, Optional.empty(), RUNTIME)) {
            assertThat(one.id()).isNotEqualTo(two.id());
        }
    }

    @Test
    void shouldTakeARandomNameWhereTheDirectoryCannotBeUsed() throws IOException {
        Path file = Files.createFile(state.resolve("file"));
        try (ClientOwner one = ClientOwner.take(file, "m", ROOT, Optional.empty(), RUNTIME);
                ClientOwner two = ClientOwner.take(file, "m", ROOT, Optional.empty(), RUNTIME);
                ClientOwner successor = ClientOwner.take(file, "m", ROOT, Optional.of(one.id()), RUNTIME)) {
            assertThat(text(one)).startsWith("verbena-once/m/");
            assertThat(two.id()).isNotEqualTo(one.id());
            assertThat(successor.id()).isEqualTo(one.id());
        }
    }

    @Test
    void shouldStayWithinWhatAServerTakes() {
        try (ClientOwner owner = take("n".repeat(4000))) {
            assertThat(owner.id().length()).isLessThanOrEqualTo(1024);
        }
    }

    @Test
    void shouldFindItsDirectory() {
        assertThat(StateDirectory.find("/state", "/xdg", "/home/u")).isEqualTo(Path.of("/state"));
        assertThat(StateDirectory.find("", "/xdg", "/home/u")).isEqualTo(Path.of("/xdg/verbena"));
        assertThat(StateDirectory.find(null, "not/absolute", "/home/u"))
                .isEqualTo(Path.of("/home/u/.local/state/verbena"));
        assertThat(StateDirectory.find(null, null, "/home/u")).isEqualTo(Path.of("/home/u/.local/state/verbena"));
    }
}
