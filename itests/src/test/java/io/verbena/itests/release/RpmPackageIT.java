package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The .rpm, installed by rpm, used, and removed. The root is one of Debian, whose packages rpm does not know: so rpm
 * does not look for what the package requires, and the test does.
 */
final class RpmPackageIT {
    @Test
    void shouldBeInstalledUsedAndRemoved(@TempDir Path folder) throws Exception {
        Path rpm = ReleaseBuild.packageOf(".rpm");
        CleanRoot.assumeTools(List.of("rpm"));
        CleanRoot root = CleanRoot.debian(folder);
        assertThat(ReleaseBuild.run(folder, List.of("rpm", "-K", rpm.toString()))
                        .out())
                .contains("digests OK");
        assertThat(ReleaseBuild.run(folder, List.of("rpm", "-qp", "--requires", rpm.toString()))
                        .out())
                .contains("/bin/sh", "/usr/sbin/useradd", "libc.so.6(GLIBC_2.");

        ReleaseBuild.Result installed =
                root.beside("rpm --root=\"$root\" --nodeps -i " + CleanRoot.quoted(List.of(rpm.toString())));
        assertThat(installed.status()).as(installed.out()).isZero();
        InstalledPackage.expectFirstCopy(
                root, ReleaseBuild.readmeBlock("Install", 0).lines().toList().get(1));
        InstalledPackage.expectRoundTrip(root);
        InstalledPackage.expectQuickStart(root);
        InstalledPackage.expectBillOfMaterials(root);
        InstalledPackage.expectServiceUserAndUnits(root);

        ReleaseBuild.Result removed = root.beside("rpm --root=\"$root\" --nodeps -e verbena");
        assertThat(removed.status()).as(removed.out()).isZero();
        InstalledPackage.expectNothingLeft(root);
    }
}
