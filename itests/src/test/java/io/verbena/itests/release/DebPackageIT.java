package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The .deb, installed by dpkg as the page for people says, used, upgraded, removed and purged. */
final class DebPackageIT {
    @Test
    void shouldBeInstalledUsedUpgradedAndRemoved(@TempDir Path folder) throws Exception {
        Path deb = ReleaseBuild.packageOf(".deb");
        try (CleanRoot root = CleanRoot.debian(folder)) {
            Set<String> before = root.paths();
            String[] commands = ReleaseBuild.readmeBlock("Install", 0).split("\n", -1);
            assertThat(commands).as("at most three commands, and a line end").hasSizeLessThanOrEqualTo(4);
            Files.copy(deb, root.resolve("/root/" + deb.getFileName()));

            expectSuccess(root.inside("cd /root\n" + commands[0]));
            assertThat(root.resolve("/root/.local")).as("state of root").doesNotExist();
            InstalledPackage.expectFirstCopy(root, commands[1]);
            InstalledPackage.expectRoundTrip(root);
            InstalledPackage.expectJob(root);
            InstalledPackage.expectQuickStart(root);
            InstalledPackage.expectBillOfMaterials(root);
            InstalledPackage.expectSharedFiles(root);
            InstalledPackage.expectServiceUserAndUnits(root);
            assertThat(root.inside("dpkg --verify verbena").out())
                    .as("changed files")
                    .isEmpty();

            InstalledPackage.makeState(root);
            expectSuccess(root.inside("dpkg --remove verbena"));
            InstalledPackage.expectState(root);
            InstalledPackage.expectNothingLeft(root, before);

            expectSuccess(root.inside("dpkg --purge verbena"));
            assertThat(root.paths()).isEqualTo(before);
        }
    }

    @Test
    void shouldTakeTheHomeOfAnOlderVersionAndKeepWhatTheAdministratorHas(@TempDir Path folder) throws Exception {
        Path deb = ReleaseBuild.packageOf(".deb");
        try (CleanRoot root = CleanRoot.debian(folder)) {
            Set<String> before = root.paths();
            Files.copy(OlderVersion.make(folder, "deb"), root.resolve("/root/older.deb"));
            Files.copy(deb, root.resolve("/root/newer.deb"));
            expectSuccess(root.inside("dpkg -i /root/older.deb"));
            assertThat(root.inside("dpkg-query -W -f '${Version}' verbena").out())
                    .isEqualTo(OlderVersion.VERSION);
            OlderVersion.use(root);

            // without a terminal nobody can be asked which text to take
            expectSuccess(root.inside("dpkg --force-confold -i /root/newer.deb"));
            assertThat(root.inside("dpkg-query -W -f '${Version} ${Status}' verbena")
                            .out())
                    .isEqualTo(ReleaseBuild.version().replace('-', '~') + " install ok installed");
            OlderVersion.expectUpgraded(root, ".dpkg-dist");
            assertThat(root.inside("dpkg --verify verbena").out())
                    .as("changed files")
                    .matches(".* c /etc/verbena/environment\n");

            expectSuccess(root.inside("dpkg --remove verbena"));
            InstalledPackage.expectState(root);
            InstalledPackage.expectNothingLeft(root, before);
            expectSuccess(root.inside("dpkg --purge verbena"));
            assertThat(root.paths()).isEqualTo(before);
        }
    }

    private static void expectSuccess(ReleaseBuild.Result result) {
        assertThat(result.status()).as(result.out()).isZero();
    }
}
