package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.LongRun;
import io.verbena.itests.Page;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The commands of docs/kerberos.md, one after the other in one shell of a host without Kerberos, as a newcomer types
 * them. The guest's packages stand for the page's installation of them. A network namespace keeps the guest's NFS
 * server out, which has the port of the page's export.
 */
@LongRun
@AgainstLinux(inside = true, judged = false)
@Timeout(600)
class KerberosPageIT {
    private static final Duration LIMIT = Duration.ofMinutes(5);
    private static final String HERE = "/tmp/newcomer";
    private static final String PAGE = "docs/kerberos.md";

    /** What the page's commands leave by themselves, or if one of them has failed. */
    private static final String TIDY_UP =
            """
            cd /
            for file in %1$s/server /run/krb5kdc.pid; do
                if test -s $file; then kill $(cat $file); fi
            done
            if test -e %1$s/krb5.conf; then mv %1$s/krb5.conf /etc/krb5.conf; fi
            find /var/lib/krb5kdc -type f -delete
            find /etc/krb5kdc -type f ! -name kdc.conf -delete
            rm -f /etc/krb5.keytab /root/alice.keytab /tmp/krb5cc_0
            userdel -r alice 2>&1
            rm -rf %1$s
            """
                    .formatted(HERE);

    private final LinuxGuest guest;
    private final List<String> script = new ArrayList<>();

    KerberosPageIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void setUp() throws Exception {
        String launcher = GuestVerbena.place(guest);
        guest.run("mkdir -p " + HERE + "/bin; ln -sf " + launcher + " " + HERE + "/bin/verbena; cp /etc/krb5.conf "
                + HERE + "; yes newcomer | head -n 2 > " + HERE + "/answers; useradd -m alice");
    }

    @AfterEach
    void tidyUp() throws Exception {
        guest.tryRun(TIDY_UP, LIMIT);
    }

    /** Adds a block of the page, which finds a password at its standard input. */
    private void add(String block) {
        script.add("echo '# " + script.size() + "'");
        script.add("{\n" + block + "} < " + HERE + "/answers");
        if (block.endsWith("&\n")) {
            script.add("echo $! > " + HERE + "/server");
            script.add("until grep -q '^ready: ' " + HERE + "/output; do kill -0 $!; sleep 0.2; done");
        }
    }

    /** Runs the script in one shell, and returns what is printed. */
    private String run() throws Exception {
        String whole = "set -e\nip link set lo up\nexport PATH=" + HERE + "/bin:$PATH VERBENA_OPTS='" + GuestJvm.OPTIONS
                + "'\n" + String.join("\n", script) + "\nwait\n";
        LinuxGuest.Result run = guest.tryRun(
                "cat > " + HERE + "/script <<'THE SCRIPT'\n" + whole + "THE SCRIPT\ncd " + HERE
                        + "; unshare --net bash script > output 2>&1 < /dev/null; status=$?; cat output; exit $status",
                LIMIT);
        assertThat(run.status()).as(run.output()).isZero();
        return run.output();
    }

    @Test
    void shouldMountByTheCommandsOfThePage() throws Exception {
        Page page = Page.of(PAGE);
        List<String> commands = page.blocks("Ten commands");
        String install = "apt-get install -y ";
        assertThat(commands.get(0)).startsWith(install);
        add("dpkg -s " + commands.get(0).substring(install.length()).strip() + " > packages\n");
        commands.stream().skip(1).forEach(this::add);
        page.blocks("Scripts").forEach(this::add);
        add("stat -c '%n %U %s' /home/alice/hostname /etc/hostname\n");
        page.blocks("Away with it").forEach(this::add);

        String printed = run();

        assertThat(printed)
                .contains("ready: serving alice at 127.0.0.1:20049\n", "mounted localhost:/ as m\n")
                .contains("/home/alice/hostname alice 5\n/etc/hostname root 5\n")
                .contains("stopping"); // the KDC that stops prints in the same line at times
        assertThat(printed.split("\"sec\" ?: ?\"krb5p\"", -1)).as(printed).hasSize(3);
        assertThat(guest.run("ls /etc/krb5.keytab /root/alice.keytab /tmp/krb5cc_0 /var/lib/krb5kdc/principal 2>&1"
                        + " | grep -v 'No such file' || pgrep krb5kdc || echo nothing"))
                .isEqualTo("nothing\n");
    }
}
