package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.LongRun;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The .rpm, installed by rpm, used, upgraded and removed. The root is one of Debian, whose packages rpm does not know:
 * so rpm does not look for what the package requires, and the test does.
 */
final class RpmPackageIT {
    @Test
    void shouldBeInstalledUsedUpgradedAndRemoved(@TempDir Path folder) throws Exception {
        Path rpm = ReleaseBuild.packageOf(".rpm");
        CleanRoot.assumeTools(List.of("rpm"));
        try (CleanRoot root = CleanRoot.debian(folder)) {
            assertThat(ReleaseBuild.run(folder, List.of("rpm", "-K", rpm.toString()))
                            .out())
                    .contains("digests OK");
            assertThat(ReleaseBuild.run(folder, List.of("rpm", "-qp", "--requires", rpm.toString()))
                            .out())
                    .contains("/bin/sh", "/usr/sbin/useradd", "libc.so.6(GLIBC_2.");

            Set<String> before = root.paths();
            String file = CleanRoot.quoted(List.of(rpm.toString()));
            expectSuccess(rpm(root, "-i " + file));
            assertThat(root.resolve("/root/.local")).as("state of root").doesNotExist();
            String command =
                    ReleaseBuild.readmeBlock("Install", 0).lines().toList().get(1);
            InstalledPackage.expectFirstCopy(root, command);
            InstalledPackage.expectRoundTrip(root);
            InstalledPackage.expectJob(root);
            InstalledPackage.expectQuickStart(root);
            InstalledPackage.expectBillOfMaterials(root);
            InstalledPackage.expectSharedFiles(root);
            InstalledPackage.expectServiceUserAndUnits(root);
            assertThat(rpm(root, "-V verbena").out()).as("changed files").isEmpty();

            InstalledPackage.makeState(root);
            expectSuccess(rpm(root, "-e verbena"));
            InstalledPackage.expectState(root);
            InstalledPackage.expectNothingLeft(root, before);
        }
    }

    @Test
    @LongRun
    void shouldTakeTheHomeOfAnOlderVersionAndKeepWhatTheAdministratorHas(@TempDir Path folder) throws Exception {
        Path rpm = ReleaseBuild.packageOf(".rpm");
        CleanRoot.assumeTools(List.of("rpm"));
        try (CleanRoot root = CleanRoot.debian(folder)) {
            Set<String> before = root.paths();
            Path older = OlderVersion.make(folder, "rpm");
            expectSuccess(rpm(root, "-i " + CleanRoot.quoted(List.of(older.toString()))));
            assertThat(version(root)).isEqualTo(OlderVersion.VERSION);
            OlderVersion.use(root);

            expectSuccess(rpm(root, "-U " + CleanRoot.quoted(List.of(rpm.toString()))));
            assertThat(version(root)).isEqualTo(ReleaseBuild.version().replace('-', '~'));
            OlderVersion.expectUpgraded(root, ".rpmnew");
            assertThat(rpm(root, "-V verbena").out()).as("changed files").matches(".* c /etc/verbena/environment\n");

            expectSuccess(rpm(root, "-e verbena"));
            InstalledPackage.expectState(root);
            assertThat(root.resolve("/etc/verbena/environment.rpmsave")).exists();
            InstalledPackage.expectNothingLeft(root, before);
        }
    }

    private static String version(CleanRoot root) throws Exception {
        return root.beside("rpm --root=\"$root\" -q --qf '%{VERSION}' verbena").out();
    }

    private static ReleaseBuild.Result rpm(CleanRoot root, String arguments) throws Exception {
        return root.beside("rpm --root=\"$root\" --nodeps " + arguments);
    }

    private static void expectSuccess(ReleaseBuild.Result result) {
        assertThat(result.status()).as(result.out()).isZero();
    }
}
