package io.verbena.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs of others on a mount that every program sees. The programs check what they read back. */
public abstract class MountedProgramsCase {
    /** The directory of the mount in which the programs work. */
    protected static final String WORK = "programs";

    private static final Path SOURCES = Path.of("..").toAbsolutePath().normalize();
    private static final String GIT =
            "git -c user.name=v -c user.email=v@example.org -c safe.directory='*' -c init.defaultBranch=main ";

    @TempDir
    private Path folder;

    private FuseMount mount;

    /** Mounts a server, whose root is writable for root, and has an empty directory {@link #WORK}. */
    protected abstract FuseMount mount(Path empty) throws Exception;

    /** The digests of the files below {@link #WORK}, as the server has them. */
    protected abstract Map<String, String> atServer() throws Exception;

    @BeforeEach
    final void mount() throws Exception {
        FuseMount.assumePossible();
        mount = mount(folder);
    }

    @AfterEach
    final void end() throws IOException {
        if (mount != null) {
            mount.close();
        }
    }

    private String run(String script) throws Exception {
        return mount.run(WORK, script);
    }

    /** Unmounts, and compares what the server has then with what the programs have read last. */
    private void requireAtServer() throws Exception {
        Map<String, String> read = Digests.parse(run("find . -type f -print0 | xargs -0r sha256sum"));
        mount.unmount();
        assertThat(atServer()).isNotEmpty().isEqualTo(read);
    }

    @Test
    void shouldCopyTrees() throws Exception {
        run(
                """
                mkdir ~/tree; cd ~/tree; cp -a SOURCES/docs SOURCES/bundles/xdr/src .
                mkdir -m 1777 empty; ln -s nowhere dangling; ln -s docs link; ln docs/fuse.md hard; mkfifo fifo
                echo odd > "$(printf 'n\\351 \\n\\\\ name')"
                chown 12:34 hard link; chmod 6751 hard; chmod 0 docs/scale.md
                """
                        .replace("SOURCES", SOURCES.toString()));
        run("cp -a ~/tree copied; tar --format=posix -cf archive -C ~ tree; mkdir extracted\n"
                + "tar -xf archive -C extracted");

        String listing = "find . -printf '%P %y %m %U:%G %n %l ' \\( -type d -printf '\\n' -o -printf '%s %T@\\n' \\)";
        for (String copy : new String[] {"copied", "extracted/tree"}) {
            String list = "(cd " + copy + "; " + listing + "; find . -type f -print0 | sort -z | xargs -0 sha256sum)";
            run(list.replace(copy, "~/tree") + " | sort > ~/expected\n" + list + " | sort > ~/found\n"
                    + "test $(wc -l < ~/expected) -gt 200; diff ~/expected ~/found");
        }
        run("rm -r extracted copied; test $(ls -A) = archive; tar -df archive -C ~");
        requireAtServer();
    }

    /** As df(1) and {@code df -i} have it: blocks and files, those that are free, and those that there can be. */
    @Test
    void shouldTellTheSpaceOfTheServer() throws Exception {
        run("set -- $(stat -f -c '%a %f %b %d %c' .)\n"
                + "test $1 -gt 0; test $1 -le $2; test $2 -le $3; test $4 -gt 0; test $4 -lt $5; df -i .");
    }

    @Test
    void shouldKeepGitRepositories() throws Exception {
        String out = run("mkdir repository; cd repository; " + GIT + "init -q\n"
                + "cp -r " + SOURCES + "/docs " + SOURCES + "/bundles/xdr/src .; " + GIT + "add .\n"
                + GIT + "commit -q -m first; echo more >> docs/fuse.md; " + GIT + "mv src moved\n"
                + GIT + "commit -q -a -m second; " + GIT + "gc -q; " + GIT + "fsck --full --strict --no-progress\n"
                + GIT + "status --porcelain; cd ..; " + GIT + "clone -q --no-local repository clone\n"
                + "diff -r -x .git repository clone; cd clone; " + GIT + "log --format=%s; " + GIT
                + "fsck --full --strict --no-progress");

        assertThat(out).isEqualTo("second\nfirst\n");
        requireAtServer();
    }

    @ParameterizedTest
    @ValueSource(strings = {"delete", "wal"})
    void shouldKeepDatabasesThatTwoProcessesWriteTo(String journal) throws Exception {
        FuseMount.assumeProgram("sqlite3");
        String out = run("sqlite3 db 'PRAGMA journal_mode=" + journal
                + "; CREATE TABLE t (id INTEGER PRIMARY KEY, who TEXT, x BLOB);'\n"
                + "for who in one two; do (for i in $(seq 25); do\n"
                + "  echo \"INSERT INTO t (who, x) VALUES ('$who', randomblob(2000));\"\n"
                + "done | sqlite3 -bail -cmd '.timeout 60000' db) & done; wait\n"
                + "sqlite3 db 'PRAGMA integrity_check; SELECT who, count(*) FROM t GROUP BY who ORDER BY who;'\n"
                + "cp db ~; sqlite3 ~/db 'PRAGMA integrity_check;'");

        assertThat(out).isEqualTo(journal + "\nok\none|25\ntwo|25\nok\n");
        requireAtServer();
    }

    @Test
    void shouldReadWhatFioWrote() throws Exception {
        FuseMount.assumeProgram("fio");
        String verify = " --directory=. --verify_state_save=0 --verify=crc32c --verify_fatal=1 --do_verify=1"
                + " --group_reporting --minimal > ~/report\n";
        run("fio --name=direct --rw=randrw --bs=4k-64k --size=3m --numjobs=3 --direct=1 --iodepth=4 --ioengine=libaio"
                + verify
                + "fio --name=odd --rw=randwrite --bs=1-20000 --bs_unaligned=1 --size=2m --numjobs=2"
                + verify
                + "fio --name=mapped --rw=randwrite --bs=4k --size=2m --ioengine=mmap"
                + verify);

        assertThat(run("ls | wc -l")).isEqualTo("6\n");
        requireAtServer();
    }

    @Test
    void shouldCountUnderALockAndAppendWholeLines() throws Exception {
        String out = run(
                """
                echo 0 > counter
                for who in 1 2 3; do (
                    for i in $(seq 15); do
                        flock lock sh -c 'n=$(cat counter); echo $((n + 1)) > counter'
                        echo "$who $i of those who append" >> lines
                    done
                ) & done; wait
                cat counter; sort -u lines | wc -l; grep -vc '^[123] [0-9]* of those who append$' lines || true""");

        assertThat(out).isEqualTo("45\n45\n0\n");
        requireAtServer();
    }

    @Test
    void shouldCompileWhereTheSourcesAre() throws Exception {
        String jdk = Path.of(System.getProperty("java.home"), "bin").toString();
        String out = run(
                """
                for i in $(seq 20); do
                    mkdir -p src/p$i
                    printf 'package p%s; public class C { public static int of() { return %s%s; } }' \
                        $i $i "$(test $i = 1 || echo " + p$((i - 1)).C.of()")" > src/p$i/C.java
                done
                echo 'class Main {
                    public static void main(String[] args) { System.out.println(p20.C.of()); }
                }' > src/Main.java
                JDK/javac -d classes -sourcepath src src/Main.java
                JDK/jar --create --file sum.jar --main-class Main -C classes .
                JDK/java -jar sum.jar"""
                        .replace("JDK", jdk));

        assertThat(out).isEqualTo("210\n");
        requireAtServer();
    }
}
