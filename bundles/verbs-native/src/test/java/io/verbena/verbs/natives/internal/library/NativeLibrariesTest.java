package io.verbena.verbs.natives.internal.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NativeLibrariesTest {
    @ParameterizedTest
    @CsvSource({"Windows 11,amd64", "Linux,riscv64", "Linux,i386", "Mac OS X,aarch64"})
    void shouldRefusePlatformWithoutATable(String system, String architecture) {
        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(() -> NativeLibraries.requirePlatform(system, architecture))
                .withMessage("RDMA devices can be used on Linux on x86_64 and aarch64 only, not on " + system + " on "
                        + architecture);
    }

    @ParameterizedTest
    @CsvSource({"amd64", "aarch64"})
    void shouldTakePlatformsOfTheTable(String architecture) {
        assertThatCode(() -> NativeLibraries.requirePlatform("Linux", architecture))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldSayWhatToInstallWhereALibraryIsMissing() {
        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(() -> NativeLibraries.load(IbverbsLibrary.class, "libibverbs.so.99"))
                .withMessageContaining("install libibverbs1 librdmacm1 ibverbs-providers")
                .withMessageContaining("libibverbs.so.99")
                .satisfies(e -> assertThat(e.getMessage().lines()).hasSize(1));
    }

    /** As on a system with another C library, which no Debian package remedies. */
    @Test
    void shouldSendNobodyForPackagesWhereTheSystemIsAnother() {
        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(() -> NativeLibraries.load(CLibrary.class, "libc.so.99"))
                .withMessageStartingWith("RDMA devices cannot be used: the GNU C library is required (")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("install"));
    }

    @Test
    void shouldNameTheFunctionThatALibraryLacks() {
        assertThatExceptionOfType(NativeUnavailableException.class)
                .isThrownBy(() -> NativeLibraries.load(IbverbsLibrary.class, "libc.so.6"))
                .withMessageMatching("libc.so.6 has no function ibv_\\w+: it is too old to be used");
    }
}
