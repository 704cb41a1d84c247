package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.itests.Digests;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Linux's client against our server: ordinary programs on the mount. */
@AgainstLinux
class KernelProgramsIT {
    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private ServedToLinux served;

    KernelProgramsIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void serve() throws Exception {
        served = new ServedToLinux(guest, folder);
    }

    @AfterEach
    void end() throws Exception {
        served.close();
    }

    @Test
    void shouldCopyTrees() throws Exception {
        GuestMount mount = served.start().mount("programs", "");
        // files, links including dangling ones, and empty directories
        mount.run(
                """
                rm -rf /tmp/tree; mkdir /tmp/tree; cp -a /etc/alternatives /etc/apt /etc/security /tmp/tree
                cp -a /usr/lib/python3.*/asyncio /usr/lib/python3.*/email /tmp/tree; cp -a /tmp/tree copied
                tar -cf archive -C /tmp tree; mkdir extracted; tar -xf archive -C extracted""");

        String listing =
                "find . -printf '%P %y %m %U:%G %l ' \\( -type d -printf '\\n' -o -printf '%s %Ts\\n' \\) | sort";
        for (String copy : new String[] {"copied", "extracted/tree"}) {
            mount.run("diff -r --no-dereference /tmp/tree " + copy + "\n"
                    + "(cd /tmp/tree; " + listing + ") > /tmp/expected; (cd " + copy + "; " + listing
                    + ") > /tmp/found\n"
                    + "diff /tmp/expected /tmp/found");
            Map<String, String> expected = mount.digests("/tmp/tree");
            assertThat(expected).hasSizeGreaterThan(50);
            assertThat(Digests.of(served.directory().resolve(copy))).isEqualTo(expected);
        }
        mount.run("rm -r copied extracted archive /tmp/tree");
        assertThat(served.directory()).isEmptyDirectory();
        served.assertWell();
    }

    @Test
    void shouldKeepGitRepositories() throws Exception {
        GuestMount mount = served.start().mount("programs", "");
        String git = "git -c user.name=v -c user.email=v@example.org -c safe.directory='*' -c init.defaultBranch=main";
        String out = mount.run("export HOME=/tmp; mkdir repository; cd repository; " + git + " init -q\n"
                + "cp -r /usr/lib/python3.*/json /usr/lib/python3.*/email .; " + git + " add .\n"
                + git + " commit -q -m first; echo more >> json/decoder.py; git -c safe.directory='*' mv email mail\n"
                + git + " commit -q -a -m second; " + git + " gc -q; " + git + " fsck --full --strict\n"
                + git + " status --porcelain; cd ..; " + git + " clone -q --no-local repository clone\n"
                + "diff -r -x .git repository clone; cd clone; " + git + " log --format=%s; " + git
                + " fsck --full --strict");

        assertThat(out).isEqualTo("second\nfirst\n");
        Path clone = served.directory().resolve("clone");
        assertThat(Digests.of(clone.resolve("json")))
                .isEqualTo(Digests.of(served.directory().resolve("repository/json")));
        assertThat(Files.readString(clone.resolve("json/decoder.py"))).endsWith("more\n");
        served.assertWell();
    }

    @ParameterizedTest
    @ValueSource(strings = {"delete", "wal"})
    void shouldKeepDatabasesThatTwoProcessesWriteTo(String journal) throws Exception {
        GuestMount mount = served.start().mount("programs", "");
        String out = mount.run("sqlite3 db 'PRAGMA journal_mode=" + journal
                + "; CREATE TABLE t (id INTEGER PRIMARY KEY, who TEXT, x BLOB);'\n"
                + "for who in one two; do (for i in $(seq 25); do\n"
                + "  echo \"INSERT INTO t (who, x) VALUES ('$who', randomblob(2000));\"\n"
                + "done | sqlite3 -bail -cmd '.timeout 60000' db) & done; wait\n"
                + "sqlite3 db 'PRAGMA integrity_check; SELECT who, count(*) FROM t GROUP BY who ORDER BY who;'\n"
                + "cp db* /tmp; sqlite3 /tmp/db 'PRAGMA integrity_check;'; rm /tmp/db*");

        assertThat(out).isEqualTo(journal + "\nok\none|25\ntwo|25\nok\n");
        assertThat(served.directory().resolve("db")).isNotEmptyFile();
        served.assertWell();
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off"})
    void shouldReadWhatFioWrote(String crc) throws Exception {
        GuestMount mount = served.with(Map.of("crc", crc)).start().mount("programs", "");
        String verify = " --directory=. --verify_state_save=0 --verify=crc32c --verify_fatal=1 --do_verify=1"
                + " --group_reporting --minimal";
        mount.run("fio --name=direct --rw=randrw --bs=4k-64k --size=3m --numjobs=3 --direct=1 --iodepth=4"
                + " --ioengine=libaio" + verify);
        mount.run("fio --name=odd --rw=randwrite --bs=1-20000 --bs_unaligned=1 --size=2m --numjobs=2" + verify);
        mount.run("fio --name=mapped --rw=randwrite --bs=4k --size=2m --ioengine=mmap" + verify);

        assertThat(Digests.of(served.directory())).hasSize(6).isEqualTo(mount.digests("."));
        served.assertWell();
    }
}
