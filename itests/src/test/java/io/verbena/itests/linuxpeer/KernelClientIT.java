package io.verbena.itests.linuxpeer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.itests.Digests;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Linux's client against our server: the behaviour of files and directories. */
@AgainstLinux
class KernelClientIT {
    private static final String AS_ANOTHER = "setpriv --reuid 1000 --regid 1000 --groups 34 ";

    private final LinuxGuest guest;

    @TempDir
    private Path folder;

    private ServedToLinux served;

    KernelClientIT(LinuxGuest guest) {
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

    private GuestMount mount() throws IOException, InterruptedException {
        return served.start().mount("client", "");
    }

    @Test
    void shouldWriteInBlocksOfAllSizes() throws Exception {
        GuestMount mount = mount();
        mount.run(
                """
                head -c 3000017 /dev/urandom > /tmp/random; head -c 3001 /tmp/random > /tmp/short
                dd if=/tmp/short of=by1 bs=1 status=none
                for size in 511 4097 1000003; do dd if=/tmp/random of=by$size bs=$size status=none; done
                head -c 2097152 /tmp/random > /tmp/whole
                dd if=/tmp/whole of=direct bs=65536 oflag=direct status=none
                dd if=direct of=/tmp/back bs=256K iflag=direct status=none; cmp /tmp/back /tmp/whole""");

        String random = digest("/tmp/random");
        assertThat(Digests.of(served.directory()))
                .containsEntry("by1", digest("/tmp/short"))
                .containsEntry("by511", random)
                .containsEntry("by4097", random)
                .containsEntry("by1000003", random)
                .containsEntry("direct", digest("/tmp/whole"));
        served.assertWell();
    }

    private String digest(String inGuest) throws IOException, InterruptedException {
        return guest.run("sha256sum < " + inGuest).substring(0, 64);
    }

    @Test
    void shouldChangePartsAndSizesAsALocalFileSystemDoes() throws Exception {
        GuestMount mount = mount();
        mount.run(
                """
                head -c 1500001 /dev/urandom > /tmp/random; cp /tmp/random /tmp/local; cp /tmp/random remote
                for file in /tmp/local remote; do
                  dd if=/tmp/random of=$file bs=4097 seek=100 count=7 conv=notrunc status=none
                  dd if=/tmp/random of=$file bs=511 count=9 oflag=append conv=notrunc status=none
                  dd if=/tmp/random of=$file bs=1000 seek=3000 count=1 conv=notrunc status=none
                  truncate -s 2000001 $file; truncate -s +999999 $file; cat /tmp/random >> $file
                done; cp remote whole; cp /tmp/local /tmp/whole
                for file in /tmp/local remote; do
                  dd if=/tmp/random of=$file bs=1000 count=1 seek=5 status=none
                done""");

        assertThat(Digests.of(served.directory()))
                .containsEntry("remote", digest("/tmp/local"))
                .containsEntry("whole", digest("/tmp/whole"));
        served.assertWell();
    }

    @Test
    void shouldListThousandsOfFiles() throws Exception {
        GuestMount mount = mount();
        Path many = Files.createDirectory(served.directory().resolve("many"));
        for (int i = 0; i < 3000; i++) {
            Files.createFile(many.resolve("file-" + i));
        }

        assertThat(mount.run("ls many | sort -t - -k 2n | sha256sum; seq -f file-%.0f 0 2999 | sha256sum")
                        .lines()
                        .distinct())
                .hasSize(1);
        assertThat(mount.run("ls -lR many | wc -l; find many -type f | wc -l; du -s --inodes many"))
                .isEqualTo("3002\n3000\n3001\tmany\n");
        mount.run("cd many; find . -name '*7' -delete; mv file-1 file-2; for i in $(seq 100); do echo > new-$i; done");
        try (Stream<Path> left = Files.list(many)) {
            assertThat(left.map(file -> file.getFileName().toString()))
                    .hasSize(3000 - 300 - 1 + 100)
                    .contains("new-100")
                    .doesNotContain("file-1", "file-7");
        }
        for (int i = 10; i < 3000; i++) {
            Files.deleteIfExists(many.resolve("file-" + i));
        }
        assertThat(mount.run("touch many/last; ls many | grep -c file; rm -r many; ls"))
                .isEqualTo("8\n");
        served.assertWell();
    }

    @Test
    void shouldLinkRenameAndSetAttributes() throws Exception {
        GuestMount mount = mount();
        String out = mount.run(
                """
                echo a > one; ln one two; ln -s one link; ln -s näme dangling; mkdir -p d/e
                chown 12:34 one; chmod 4751 one; touch -d '2001-02-03 04:05:06.123456Z' one
                chown -h 5:6 link; touch -h -d '2002-03-04Z' link; chmod 1777 d
                echo b > d/e/x; mv d/e/x d/e/y; echo c > over; mv over d/e/y; mv d/e e
                stat -c '%n %a %h %u:%g %Y %s %F' one two link d e e/y; readlink link dangling; cat link e/y
                mv e d/e; ! mv d d/e/f 2>&1; ! rmdir d 2>&1; ! ln one d/e/y 2>&1; ! mv -T one d/e 2>&1""");

        assertThat(out.replaceAll("(?m)^([de]) (\\d+) (\\d+) 0:0 .* directory$", "$1 $2 $3 directory"))
                .startsWith(
                        """
                one 4751 2 12:34 981173106 2 regular file
                two 4751 2 12:34 981173106 2 regular file
                link 777 1 5:6 1015200000 3 symbolic link
                d 1777 2 directory
                e 755 2 directory
                e/y 644 1 0:0""")
                .contains("\none\nnäme\na\nc\n", "subdirectory of itself", "not empty", "File exists");
        Path one = served.directory().resolve("one");
        assertThat(Files.readAttributes(one, "unix:mode,nlink,uid,gid,lastModifiedTime"))
                .containsEntry("mode", 0104751)
                .containsEntry("nlink", 2)
                .containsEntry("uid", 12)
                .containsEntry("gid", 34)
                .containsEntry("lastModifiedTime", FileTime.from(Instant.parse("2001-02-03T04:05:06.123456Z")));
        assertThat(Files.getLastModifiedTime(served.directory().resolve("link"), LinkOption.NOFOLLOW_LINKS))
                .isEqualTo(FileTime.from(Instant.parse("2002-03-04T00:00:00Z")));
        assertThat(Files.readString(served.directory().resolve("d/e/y"))).isEqualTo("c\n");
        served.assertWell();
    }

    @Test
    void shouldKeepOthersOut() throws Exception {
        GuestMount mount = mount();
        String out = mount.run("umask 022; echo s > private; chmod 600 private; echo r > public\n"
                + "echo g > ofgroup; chgrp 34 ofgroup; chmod 640 ofgroup; mkdir closed sticky; echo s > closed/file\n"
                + "chmod 700 closed; chmod 1777 sticky; echo r > sticky/roots; chmod 777 .\n"
                + "try() { if " + AS_ANOTHER + "sh -c \"$1\" 2>/dev/null; then echo yes; else echo no: $1; fi; }\n"
                + "try 'cat private'; try 'cat public'; try 'cat ofgroup'; try 'cat closed/file'; try 'ls closed'\n"
                + "try 'echo x > public'; try 'echo x >> ofgroup'; try 'rm -f sticky/roots'; try 'chmod 777 public'\n"
                + "try 'echo mine > sticky/mine'; try 'chown 0 sticky/mine'; try 'chgrp 34 sticky/mine'\n"
                + "try 'test -r private'; try 'test -w public'; try 'touch public'; try 'truncate -s 0 public'");

        assertThat(out)
                .isEqualTo(
                        """
                no: cat private
                r
                yes
                g
                yes
                no: cat closed/file
                no: ls closed
                no: echo x > public
                no: echo x >> ofgroup
                no: rm -f sticky/roots
                no: chmod 777 public
                yes
                no: chown 0 sticky/mine
                yes
                no: test -r private
                no: test -w public
                no: touch public
                no: truncate -s 0 public
                """);
        Path mine = served.directory().resolve("sticky/mine");
        assertThat(Files.readAttributes(mine, "unix:uid,gid"))
                .containsEntry("uid", 1000)
                .containsEntry("gid", 34);
        assertThat(Files.readString(served.directory().resolve("public"))).isEqualTo("r\n");
        served.assertWell();
    }

    /** Compares the modes on the servers, since Linux's client shows cached modes for a while. */
    @Test
    void shouldClearSetIdBitsWhenAnotherUserWritesAsLinuxsServerDoes() throws Exception {
        List<String> modes = List.of("6777", "4777", "2777", "2767", "1777");
        String script = "chmod 777 .; for mode in " + String.join(" ", modes) + "; do\n"
                + "echo roots > $mode; chmod $mode $mode; " + AS_ANOTHER + "sh -c \"echo others >> $mode\"; cat $mode\n"
                + "done";
        String written = "roots\nothers\n".repeat(modes.size());
        GuestMount mount = mount();

        assertThat(mount.run(script)).isEqualTo(written);

        List<String> ours = new ArrayList<>();
        for (String mode : modes) {
            int all = (int) Files.getAttribute(served.directory().resolve(mode), "unix:mode");
            ours.add(Integer.toOctalString(all & 07777));
        }
        assertThat(ours).containsExactly("777", "777", "777", "767", "1777");
        KernelMount linux = KernelMount.of(guest);
        try {
            String place = KernelMount.PLACE + "/set-id";
            assertThat(guest.run("set -e; mkdir " + place + "; cd " + place + "\n" + script))
                    .isEqualTo(written);
            assertThat(guest.run("cd /export/set-id; stat -c %a " + String.join(" ", modes)))
                    .isEqualTo(String.join("\n", ours) + "\n");
        } finally {
            guest.run("rm -rf " + KernelMount.PLACE + "/set-id");
            linux.unmount();
        }
        served.assertWell();
    }

    @Test
    void shouldKeepOpenFilesThatAreUnlinkedOrRenamed() throws Exception {
        GuestMount mount = mount();
        String out = mount.python(
                """
                import os
                gone = open('gone', 'w+'); gone.write('x' * 10000); gone.flush()
                os.unlink('gone'); print(os.path.exists('gone'), len(os.listdir('.')))
                gone.write('y'); gone.flush(); gone.seek(0); print(len(gone.read())); gone.close()
                print(os.listdir('.'))
                moved = open('old', 'w+'); moved.write('abc'); moved.flush(); os.rename('old', 'new')
                moved.write('def'); moved.close(); print(open('new').read())
                victim = open('victim', 'w+'); victim.write('1' * 100); victim.flush()
                open('other', 'w').write('2' * 50); os.rename('other', 'victim')
                victim.seek(0); print(victim.read()[:3], open('victim').read()[:3]); victim.close()
                mode = os.open('unwritable', os.O_CREAT | os.O_WRONLY, 0o400); print(os.write(mode, b'first'))
                os.close(mode)
                """);

        assertThat(out).isEqualTo("False 0\n10001\n[]\nabcdef\n111 222\n5\n");
        assertThat(Digests.of(served.directory())).containsOnlyKeys("new", "victim", "unwritable");
        assertThat(Files.readString(served.directory().resolve("victim"))).isEqualTo("2".repeat(50));
        served.assertWell();
    }

    @Test
    void shouldWriteMappedMemory() throws Exception {
        GuestMount mount = mount();
        String digest = mount.python(
                """
                import hashlib, mmap
                with open('mapped', 'wb+') as file:
                    file.truncate(300001)
                    memory = mmap.mmap(file.fileno(), 0)
                    for at in range(0, 300001 - 7, 4999):
                        memory[at:at + 7] = b'verbena'
                    print(hashlib.sha256(memory).hexdigest())
                    memory.flush()
                    memory.close()
                """);

        assertThat(Digests.of(served.directory())).containsEntry("mapped", digest.strip());
        served.assertWell();
    }

    @Test
    void shouldTellTheSpaceThereIs() throws Exception {
        GuestMount mount = mount();
        long total = Files.getFileStore(served.directory()).getTotalSpace();

        String[] numbers =
                mount.run("df -B1 --output=size,avail . | tail -1").strip().split(" +", -1);

        assertThat(Long.parseLong(numbers[0])).isCloseTo(total, within(1L << 20)); // counted in blocks of wsize
        assertThat(Long.parseLong(numbers[1])).isBetween(1L, total);
        served.assertWell();
    }

    @Test
    void shouldKeepAReadOnlyExportAsItIs() throws Exception {
        Files.writeString(served.directory().resolve("file"), "kept");
        Files.setPosixFilePermissions(served.directory().resolve("file"), PosixFilePermissions.fromString("rw-rw-rw-"));
        GuestMount mount = served.readOnly().start().mount("readonly", "");

        String out = mount.run("cat file; for command in 'touch file' 'touch new' 'rm file' 'mv file x' 'ln file x'"
                + " 'ln -s file x' 'mkdir x' 'chmod 600 file' 'truncate -s 0 file'"
                + " 'dd if=/dev/zero of=file count=1'; do"
                + " if $command 2> /tmp/error; then echo done: $command;"
                + " else grep -o Read-only.* /tmp/error; fi; done");

        assertThat(out).isEqualTo("kept" + "Read-only file system\n".repeat(10));
        assertThat(Files.readString(served.directory().resolve("file"))).isEqualTo("kept");
        served.assertWell();
    }

    @Test
    void shouldUnmountAndMountAgain() throws Exception {
        GuestMount mount = mount();
        mount.run("echo first > file");
        mount.unmount();
        assertThat(served.server().counters()).containsEntry("clients", 0L).containsEntry("sessions", 0L);
        assertThat(Files.readString(served.directory().resolve("file"))).isEqualTo("first\n");

        for (String options : List.of("rsize=4096,wsize=4096", "ro", "sync,noac", "nconnect=2")) {
            GuestMount again = served.mount("again", options);
            assertThat(again.run("cat file; ls")).isEqualTo("first\nfile\n");
            // Linux 6.1 accepts nconnect and still makes one connection with RDMA
            assertThat(served.connections()).isBetween(1, options.startsWith("nconnect") ? 2 : 1);
            again.unmount();
        }
        assertThat(served.server().counters()).containsEntry("clients", 0L).containsEntry("sessions", 0L);
        assertThat(served.log().complaints("")).isEmpty();
    }
}
