package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static io.verbena.nfs41.server.internal.TestClient.unchecked;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.NfsTime;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.SetTime;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import java.nio.file.Files;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What CREATE and OPEN make, and what they leave where they fail. */
class CreationTest extends ServerFixture {
    /** As open(2) with O_CREAT and such a mode: git and install do so. */
    @ParameterizedTest
    @ValueSource(ints = {0444, 0200, 0})
    void shouldWriteThroughTheOpenThatMadeAFileWhateverItsMode(int mode) throws Exception {
        Opened made = client.opened("new", 3, 0, unchecked(mode));
        client.write(made, 0, "content", StableHow.UNSTABLE4);
        Op commit = out -> Commit.encodeArgs(out, new Commit.Args(0, 0));
        assertThat(client.inSession(fh(made.handle()), commit).status()).isEqualTo(Status.NFS4_OK);
        assertThat(client.read(made, 0, 9)).isEqualTo("content");
        client.close(made);
    }

    @Test
    void shouldLeaveNothingOfWhatItRefusesToMake() throws Exception {
        Attributes nobodys =
                Attributes.builder().put(Attribute.OWNER, "4294967295").build();
        Op create = out -> Create.encodeArgs(out, Create.directory("new", nobodys));
        assertThat(client.inSession(root(), create).status()).isEqualTo(Status.NFS4ERR_BADOWNER);
        assertThat(client.statusOfOpen("new", 3, 0, new OpenHow.Guarded(nobodys)))
                .isEqualTo(Status.NFS4ERR_BADOWNER);
        Attributes huge =
                Attributes.builder().put(Attribute.SIZE, Long.MAX_VALUE).build();
        assertThat(client.statusOfOpen("new", 3, 0, new OpenHow.Guarded(huge))).isNotEqualTo(Status.NFS4_OK);
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldMakeAFileOfASizeWithTheTimesAskedFor() throws Exception {
        Attributes wanted = Attributes.builder()
                .put(Attribute.SIZE, 5L)
                .put(Attribute.TIME_MODIFY_SET, new SetTime(NfsTime.of(Instant.ofEpochSecond(1_000_000))))
                .build();
        client.opened("new", 3, 0, new OpenHow.Guarded(wanted));
        assertThat(directory.resolve("new")).hasSize(5);
        assertThat(Files.getLastModifiedTime(directory.resolve("new")).toInstant())
                .isEqualTo(Instant.ofEpochSecond(1_000_000));
    }
}
