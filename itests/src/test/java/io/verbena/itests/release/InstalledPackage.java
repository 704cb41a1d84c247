package io.verbena.itests.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** What a .deb and an .rpm have to do alike, once they are installed in a clean root. */
final class InstalledPackage {
    /** A server in the root for storage.example.com; the commands come when it listens. */
    private static final String WITH_SERVER =
            """
            mkdir -p /srv/projects
            echo 'a,b' > /srv/projects/report.csv
            rm -f /server.out # what an earlier server has said
            verbena serve --no-root-squash /srv > /server.out 2>&1 &
            server=$!
            trap 'kill $server; wait $server' EXIT
            until grep -qs ^exported /server.out; do kill -0 $server; sleep 0.1; done
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

    /** What verbena@NAME.service does with the script that the package has as an example, as its user. */
    static void expectJob(CleanRoot root) throws IOException, InterruptedException {
        ReleaseBuild.Result job = root.inside(
                WITH_SERVER
                        + """
                mkdir /srv/outgoing
                echo 'c,d' > /srv/outgoing/day.csv
                install -d -o verbena /srv/incoming
                cp /usr/share/doc/verbena/examples/transfer.verbena /etc/verbena/
                cd /var/lib/verbena
                chroot --userspec=verbena:verbena --skip-chdir / env HOME=/var/lib/verbena \
                    verbena --timestamps /etc/verbena/transfer.verbena
                """);

        assertThat(job.status()).as(job.out()).isZero();
        assertThat(root.resolve("/srv/incoming/day.csv")).hasContent("c,d\n");
    }

    /** Settings and state of an administrator, which a newer version and a removal leave as they are. */
    static void makeState(CleanRoot root) throws IOException {
        Files.writeString(root.resolve("/etc/verbena/job.verbena"), "nfs:mounts\n");
        Files.writeString(root.resolve("/var/lib/verbena/kept"), "state\n");
    }

    static void expectState(CleanRoot root) {
        assertThat(root.resolve("/etc/verbena/job.verbena")).hasContent("nfs:mounts\n");
        assertThat(root.resolve("/var/lib/verbena/kept")).hasContent("state\n");
    }

    /** Pages of the manual and completions of the distribution are where the system looks for them. */
    static void expectSharedFiles(CleanRoot root) throws IOException {
        Path share = ReleaseBuild.TOP.resolve("karaf-distro/target/assembly/share");
        if (Files.isDirectory(share)) {
            try (Stream<Path> files = Files.walk(share)) {
                assertThat(files.filter(Files::isRegularFile)).isNotEmpty().allSatisfy(file -> assertThat(
                                root.resolve("/usr/share/" + share.relativize(file)))
                        .hasSameBinaryContentAs(file));
            }
        }
    }

    static void expectServiceUserAndUnits(CleanRoot root) throws IOException, InterruptedException {
        ReleaseBuild.Result user = root.inside("getent passwd verbena; stat -c '%U %a' /var/lib/verbena");
        assertThat(user.out())
                .startsWith("verbena:x:")
                .contains("/usr/sbin/nologin")
                .endsWith("verbena 700\n");

        // with the units of this host, which the minimal root has not; the mount ends with its namespace
        ReleaseBuild.Result units = root.beside(
                """
                units=$root/usr/lib/systemd/system
                cp "$units"/verbena@* "$root/dev/"
                mount -t tmpfs tmpfs "$units"
                cp -a /lib/systemd/system/. "$root/dev/"verbena@* "$units/"
                systemd-analyze verify --root="$root" verbena@job.service verbena@job.timer
                """);
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

    /** Of a removed package, nothing is left besides settings and state. */
    static void expectNothingLeft(CleanRoot root, Set<String> before) throws IOException {
        Set<String> left = new TreeSet<>(root.paths());
        left.removeAll(before);

        assertThat(left).allMatch(path -> (path + "/").matches("(/etc|/var/lib)/verbena/.*"));
    }
}
