package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** What a .deb and an .rpm have to do alike, once they are installed in a clean root. */
final class InstalledPackage {
    /** A server in the root for storage.example.com; the commands come when it listens. */
    private static final String WITH_SERVER =
            """
            mkdir -p /srv/projects
            echo 'a,b' > /srv/projects/report.csv
            verbena -c 'nfs:export --no-root-squash /srv; shell:sleep 600000' > /server.out 2>&1 &
            server=$!
            until grep -q ^exported /server.out; do kill -0 $server; sleep 0.1; done
            cd /root
            """;

    private InstalledPackage() {}

    /** Runs commands of a page for people against a server, and expects what the commands copy. */
    static void expectFirstCopy(CleanRoot root, String commands) throws IOException, InterruptedException {
        ReleaseBuild.Result copied = root.inside(WITH_SERVER + commands);

        assertThat(copied.status()).as(copied.out()).isZero();
        assertThat(root.resolve("/root/report.csv")).hasContent("a,b\n");
    }

    static void expectRoundTrip(CleanRoot root) throws IOException, InterruptedException {
        ReleaseBuild.Result copied = root.inside(
                """
                mkdir /srv/data
                verbena -c 'nfs:export --no-root-squash --port 20050 /srv/data
                    nfs:mount -o port=20050 127.0.0.1:/ w; nfs:put /usr/lib/verbena/jre/lib/modules w:/
                    nfs:get w:/modules /root/copy'
                cmp /root/copy /usr/lib/verbena/jre/lib/modules
                rm /root/copy /srv/data/modules
                """);

        assertThat(copied.status()).as(copied.out()).isZero();
    }

    static void expectServiceUserAndUnits(CleanRoot root) throws IOException, InterruptedException {
        ReleaseBuild.Result user = root.inside("getent passwd verbena; stat -c '%U %a' /var/lib/verbena");
        assertThat(user.out())
                .startsWith("verbena:x:")
                .contains("/usr/sbin/nologin")
                .endsWith("verbena 700\n");

        // the units of the system, which the minimal root has not
        root.expect(List.of("cp", "-an", "/lib/systemd/system/.", root.resolve("/usr/lib/systemd/system/") + "/"));
        ReleaseBuild.Result units =
                root.beside("systemd-analyze verify --root=\"$root\" verbena@job.service" + " verbena@job.timer");
        assertThat(units.out()).isEmpty();
        assertThat(units.status()).isZero();
    }

    /** The installation has prepared a quick start, which runs use. */
    static void expectQuickStart(CleanRoot root) throws IOException {
        assertThat(root.resolve("/usr/lib/verbena/prepared/home")).hasContent("/usr/lib/verbena\n");
        assertThat(root.resolve("/usr/lib/verbena/prepared/classes.jsa")).isNotEmptyFile();
        assertThat(root.resolve("/usr/lib/verbena/jre/lib/server/classes.jsa")).isNotEmptyFile();
        assertThat(PosixFilePermissions.toString(
                        Files.getPosixFilePermissions(root.resolve("/usr/lib/verbena/prepared/home"))))
                .endsWith("r--");
    }

    static void expectBillOfMaterials(CleanRoot root) {
        assertThat(root.resolve("/usr/lib/verbena/system.cdx.json"))
                .content()
                .contains("\"CycloneDX\"", "\"name\": \"openjdk\"", "jre/lib/modules");
    }

    static void expectNothingLeft(CleanRoot root) {
        assertThat(root.resolve("/usr/lib/verbena")).doesNotExist();
        assertThat(root.resolve("/usr/lib/systemd/system/verbena@.service")).doesNotExist();
    }
}
