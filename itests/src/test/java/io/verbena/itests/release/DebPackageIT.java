package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The .deb, installed by dpkg as the page for people says, used, and removed. */
final class DebPackageIT {
    @Test
    void shouldBeInstalledUsedAndRemoved(@TempDir Path folder) throws Exception {
        Path deb = ReleaseBuild.packageOf(".deb");
        CleanRoot root = CleanRoot.debian(folder);
        String[] commands = ReleaseBuild.readmeBlock("Install", 0).split("\n", -1);
        assertThat(commands).as("at most three commands, and a line end").hasSizeLessThanOrEqualTo(4);
        Files.copy(deb, root.resolve("/root/" + deb.getFileName()));

        ReleaseBuild.Result installed = root.inside("cd /root\n" + commands[0]);
        assertThat(installed.status()).as(installed.out()).isZero();
        InstalledPackage.expectFirstCopy(root, commands[1]);
        InstalledPackage.expectRoundTrip(root);
        InstalledPackage.expectQuickStart(root);
        InstalledPackage.expectBillOfMaterials(root);
        InstalledPackage.expectServiceUserAndUnits(root);

        ReleaseBuild.Result removed = root.inside("dpkg --purge verbena");
        assertThat(removed.status()).as(removed.out()).isZero();
        InstalledPackage.expectNothingLeft(root);
        assertThat(root.resolve("/var/lib/verbena")).doesNotExist();
    }
}
