package io.verbena.cli.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.FileType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the formats that users write and read: paths, modes and sources. */
class TextTest {
    @Test
    void shouldShowModesAsLsDoes() {
        assertThat(ModeText.of(FileType.REGULAR, 0_644)).isEqualTo("-rw-r--r--");
        assertThat(ModeText.of(FileType.DIRECTORY, 0_1777)).isEqualTo("drwxrwxrwt");
        assertThat(ModeText.of(FileType.REGULAR, 0_6710)).isEqualTo("-rws--s---");
        assertThat(ModeText.of(FileType.SYMBOLIC_LINK, 0_7000)).isEqualTo("l--S--S--T");
    }

    @ParameterizedTest
    @CsvSource({
        "755, 0, false, 755",
        "u+x, 644, false, 744",
        "go-rwx, 777, false, 700",
        "a=r, 777, false, 444",
        "+w, 444, false, 644",
        "'u=rw,go=r', 777, false, 644",
        "u+x-w, 600, false, 500",
        "a+X, 644, false, 644",
        "a+X, 644, true, 755",
        "u+s, 755, false, 4755",
        "g+s, 755, false, 2755",
        "+t, 755, true, 1755",
        "1777, 0, true, 1777"
    })
    void shouldChangeModesAsChmodDoes(String change, String before, boolean isDirectory, String after) {
        int mode = FileMode.parse(change).apply(Integer.parseInt(before, 8), isDirectory);

        assertThat(Integer.toOctalString(mode)).isEqualTo(after);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "9", "77777", "u", "u+y", "rwx", "u+x,"})
    void shouldRefuseOtherModes(String text) {
        assertThatThrownBy(() -> FileMode.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "a:/x/y, a, /x/y, y",
        "a:x, a, /x, x",
        "a:, a, /, ''",
        "a:/, a, /, ''",
        "a://x//y/, a, /x/y, y",
        "a:/x:y, a, /x:y, x:y"
    })
    void shouldReadRemotePaths(String text, String mount, String path, String name) {
        RemotePath remote = RemotePath.parse(text);

        assertThat(remote.mount()).isEqualTo(mount);
        assertThat(remote.path()).isEqualTo(path);
        assertThat(remote.name()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a:b", "./a:b", "x", "", ":/x", "~/a:b"})
    void shouldTakeOtherPathsAsLocal(String text) {
        assertThat(RemotePath.isRemote(text)).isFalse();
        assertThatThrownBy(() -> RemotePath.parse(text)).hasMessageContaining("is no remote path");
    }

    @Test
    void shouldClimbToTheRootAndNoFurther() {
        assertThat(RemotePath.parse("a:/x/y").parent().parent().parent()).hasToString("a:/");
        assertThat(RemotePath.parse("a:/").child("x")).hasToString("a:/x");
    }

    @ParameterizedTest
    @CsvSource({
        "server:/x, server, /x",
        "'192.0.2.1:/', 192.0.2.1, /",
        "'[::1]:/x:y', ::1, /x:y",
        "'[fe80::1%eth0]:/x', fe80::1%eth0, /x"
    })
    void shouldReadSources(String text, String server, String export) {
        assertThat(MountSource.parse(text)).isEqualTo(new MountSource(server, export));
    }

    @ParameterizedTest
    @ValueSource(strings = {"server", "server:x", "::1:/x", ":/x", "[]:/x", "a b:/x"})
    void shouldRefuseOtherSources(String text) {
        assertThatThrownBy(() -> MountSource.parse(text)).hasMessageContaining("is no SERVER:/EXPORT");
    }
}
