package io.verbena.nfs41.server.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.nfs41.server.internal.vfs.OpenFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WriteVerifierTest {
    @TempDir
    Path temporary;

    private OpenFile file() throws IOException {
        FileChannel channel = FileChannel.open(
                temporary.resolve("file"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
        return new OpenFile(Inode.of(2, 1), channel, true);
    }

    @Test
    void shouldStayTheSameWhileDataReachesTheDisk() throws Exception {
        WriteVerifier verifier = new WriteVerifier(7);
        OpenFile file = file();
        assertThat(verifier.force(file, true)).isEqualTo(7);
        assertThat(verifier.value()).isEqualTo(7);
        file.close();
    }

    @Test
    void shouldChangeWhereDataMayNotHaveReachedTheDisk() throws Exception {
        WriteVerifier verifier = new WriteVerifier(7);
        OpenFile failing = file();
        failing.close(); // nothing can be forced by it
        assertThatThrownBy(() -> verifier.force(failing, true)).isInstanceOf(IOException.class);
        OpenFile again = file();
        assertThat(verifier.force(again, true)).isNotEqualTo(7).isEqualTo(verifier.value());
        again.close();
    }
}
