package io.verbena.itests.linuxpeer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.itests.Launcher;
import io.verbena.itests.VerbenaStack;
import io.verbena.nfs.AttributeChanges;
import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileAttributes;
import io.verbena.nfs.NfsException;
import io.verbena.nfs.RemoteFile;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.NotLinkException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Refusals of Linux's server, to other users, on read-only exports and for invalid requests, and our messages for them.
 */
@AgainstLinux
class KnfsdRefusalsIT {
    private static final Set<StandardOpenOption> READ = Set.of(StandardOpenOption.READ);
    private static final Set<StandardOpenOption> WRITE = Set.of(StandardOpenOption.WRITE);
    private static final Set<StandardOpenOption> NEW = Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private final LinuxGuest guest;
    private final List<NfsMount> mounts = new ArrayList<>();
    private VerbenaStack stack;

    KnfsdRefusalsIT(LinuxGuest guest) {
        this.guest = guest;
    }

    @BeforeEach
    void makeFiles() throws Exception {
        stack = new VerbenaStack();
        guest.run("mkdir -m 755 /export/refused && cd /export/refused && mkdir -m 700 closed && mkdir -m 777 open"
                + " && printf inner > closed/inner && printf private > private && chmod 600 private"
                + " && printf group > group && chgrp 5000 group && chmod 640 group && printf public > public"
                + " && ln -s loop loop");
    }

    @AfterEach
    void tidyUp() throws Exception {
        for (NfsMount mount : mounts) {
            mount.close();
        }
        stack.close();
        guest.run("rm -rf /export/refused /export/squashed/*");
    }

    private NfsMount mount(String export, String options) throws IOException {
        NfsMount mount = stack.mount(guest.nfs(), export, options);
        mounts.add(mount);
        return mount;
    }

    private static String read(NfsMount mount, String path) throws IOException {
        try (RemoteFile file = mount.open(path, READ, 0)) {
            ByteBuffer content = ByteBuffer.allocate(100);
            file.read(content, 0);
            return new String(content.array(), 0, content.position(), UTF_8);
        }
    }

    /**
     * The exception's type tells the error; the message tells the request in words, and no internals of the program.
     */
    private static AbstractThrowableAssert<?, ?> refused(
            Class<? extends FileSystemException> type, String path, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isExactlyInstanceOf(type)
                .satisfies(e -> assertThat(((FileSystemException) e).getFile()).isEqualTo("peer:" + path));
    }

    private static void refusedAs(String status, String path, String reason, ThrowingCallable call) {
        refused(NfsException.class, path, call)
                .hasMessageContaining(reason)
                .satisfies(e -> assertThat(((NfsException) e).status()).isEqualTo(status));
    }

    @Test
    void shouldBeDeniedWhatIsAnotherUsers() throws Exception {
        NfsMount mount = mount("/refused", "uid=1001,gid=1001");

        denied("OPEN", "/private", () -> mount.open("/private", READ, 0));
        denied("OPEN", "/public", () -> mount.open("/public", WRITE, 0));
        denied("OPEN", "/new", () -> mount.open("/new", NEW, 0644));
        denied("LOOKUP", "/closed/inner", () -> mount.attributes("/closed/inner", true));
        denied("OPEN", "/closed/inner", () -> mount.open("/closed/inner", READ, 0));
        denied("READDIR", "/closed", () -> mount.list("/closed"));
        denied("CREATE", "/new", () -> mount.createDirectory("/new", 0755));
        denied("CREATE", "/new", () -> mount.createSymbolicLink("/new", "public"));
        denied("LINK", "/new", () -> mount.createLink("/new", "/public"));
        denied("REMOVE", "/public", () -> mount.remove("/public"));
        denied("RENAME", "/public", () -> mount.rename("/public", "/new"));
        denied("SETATTR", "/public", () -> mount.setAttributes("/public", AttributeChanges.NONE.withMode(0666)));
        denied("SETATTR", "/public", () -> mount.setAttributes("/public", AttributeChanges.NONE.withOwner("1001")));
        denied("SETATTR", "/public", () -> mount.setAttributes("/public", AttributeChanges.NONE.withSize(0)));
        denied(
                "SETATTR",
                "/public",
                () -> mount.setAttributes("/public", AttributeChanges.NONE.withTimes(Instant.EPOCH, Instant.EPOCH)));

        assertThat(mount.mayAccess("/private", true, false, false)).isFalse();
        assertThat(mount.mayAccess("/public", true, false, false)).isTrue();
        assertThat(mount.mayAccess("/public", true, true, false)).isFalse();
        assertThat(mount.mayAccess("/closed", false, false, true)).isFalse();
        assertThat(read(mount, "/public")).isEqualTo("public");
        try (RemoteFile file = mount.open("/open/new", NEW, 0604)) {
            file.write(ByteBuffer.wrap("mine".getBytes(UTF_8)), 0);
        }
        assertThat(guest.run("cd /export/refused && stat -c '%u:%g %a' open/new && cat open/new public private && ls"))
                .isEqualTo("1001:1001 604\nminepublicprivateclosed\ngroup\nloop\nopen\nprivate\npublic\n");
    }

    private static void denied(String operation, String path, ThrowingCallable call) {
        refused(AccessDeniedException.class, path, call).hasMessageContaining("the server denies " + operation);
    }

    @Test
    void shouldReadByGroup() throws Exception {
        denied("OPEN", "/group", () -> mount("/refused", "uid=1001,gid=1001").open("/group", READ, 0));
        for (String member : List.of("uid=1001,gid=5000", "uid=1001,gid=1001,groups=7:5000:8")) {
            NfsMount mount = mount("/refused", member);
            assertThat(read(mount, "/group")).as(member).isEqualTo("group");
            denied("OPEN", "/group", () -> mount.open("/group", WRITE, 0));
        }
    }

    @Test
    void shouldActAsTheUserThatTheMountNames() throws Exception {
        assertThat(read(mount("/refused", "uid=0,gid=0"), "/private")).isEqualTo("private");
        assertThatThrownBy(() -> mount("/refused", "sec=none"))
                .hasMessageContaining("the server does not take security 'sec=none' here: it takes sys");
    }

    @Test
    void shouldBeNobodyWhereRootIsSquashed() throws Exception {
        guest.run("printf root > /export/squashed/root && chmod 600 /export/squashed/root");
        NfsMount mount = mount("/squashed", "uid=0,gid=0");

        denied("OPEN", "/root", () -> mount.open("/root", READ, 0));
        mount.open("/new", NEW, 0600).close();
        assertThat(mount.attributes("/new", false))
                .extracting(FileAttributes::owner, FileAttributes::group)
                .containsExactly("65534", "65534");
        denied("SETATTR", "/new", () -> mount.setAttributes("/new", AttributeChanges.NONE.withOwner("0")));
        assertThat(guest.run("stat -c %u:%g /export/squashed/new")).isEqualTo("65534:65534\n");
    }

    @Test
    void shouldChangeNothingOnAReadOnlyExport() throws Exception {
        refuseChanges(mount("/readonly", ""), "the server exports it read-only");
    }

    @Test
    void shouldChangeNothingOnAReadOnlyMount() throws Exception {
        guest.run("cd /export/refused/open && echo 'kept as it is' > file");
        refuseChanges(mount("/refused/open", "ro"), "it is mounted read-only: mount it with option rw");
    }

    private void refuseChanges(NfsMount mount, String reason) throws Exception {
        readOnly(reason, "/file", () -> mount.open("/file", WRITE, 0));
        readOnly(reason, "/file", () -> mount.open("/file", Set.of(StandardOpenOption.APPEND), 0));
        readOnly(reason, "/new", () -> mount.open("/new", NEW, 0644));
        readOnly(
                reason,
                "/new",
                () -> mount.open("/new", Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE), 0644));
        readOnly(reason, "/new", () -> mount.createDirectory("/new", 0755));
        readOnly(reason, "/new", () -> mount.createSymbolicLink("/new", "file"));
        readOnly(reason, "/new", () -> mount.createLink("/new", "/file"));
        readOnly(reason, "/file", () -> mount.remove("/file"));
        readOnly(reason, "/file", () -> mount.rename("/file", "/new"));
        readOnly(reason, "/file", () -> mount.setAttributes("/file", AttributeChanges.NONE.withMode(0600)));
        readOnly(reason, "/file", () -> mount.setAttributes("/file", AttributeChanges.NONE.withSize(1)));

        assertThat(read(mount, "/file")).isEqualTo("kept as it is\n");
        assertThat(mount.list("/")).extracting(DirectoryEntry::name).containsExactly("file");
        assertThat(mount.attributes("/file", true).size()).isEqualTo(14);
    }

    private static void readOnly(String reason, String path, ThrowingCallable call) {
        refusedAs("NFS4ERR_ROFS", path, reason, call);
    }

    @Test
    void shouldRefuseNamesThatAreTooLong() throws Exception {
        NfsMount mount = mount("/refused/open", "");
        String longest = "/" + "n".repeat(255);
        String longer = longest + "n";
        mount.open(longest, NEW, 0600).close();
        mount.remove(longest);

        String reason = "a name is longer than the server allows";
        refusedAs("NFS4ERR_NAMETOOLONG", longer, reason, () -> mount.open(longer, NEW, 0600));
        refusedAs("NFS4ERR_NAMETOOLONG", longer, reason, () -> mount.open(longer, READ, 0600));
        refusedAs("NFS4ERR_NAMETOOLONG", longer, reason, () -> mount.attributes(longer, true));
        refusedAs("NFS4ERR_NAMETOOLONG", longer, reason, () -> mount.createDirectory(longer, 0700));
        refusedAs("NFS4ERR_NAMETOOLONG", longer, reason, () -> mount.createSymbolicLink(longer, "x"));
        refusedAs("NFS4ERR_NAMETOOLONG", longer, reason, () -> mount.remove(longer));
        mount.createDirectory("/directory", 0700);
        refusedAs("NFS4ERR_NAMETOOLONG", "/directory", reason, () -> mount.rename("/directory", longer));
        // three octets each
        String manyOctets = "/" + "✓".repeat(86);
        refusedAs("NFS4ERR_NAMETOOLONG", manyOctets, reason, () -> mount.open(manyOctets, NEW, 0600));
    }

    @Test
    void shouldRefuseWhatTheKindOfFileForbids() throws Exception {
        NfsMount mount = mount("/refused", "");
        refused(NotDirectoryException.class, "/public/name", () -> mount.open("/public/name", NEW, 0600));
        refused(NotDirectoryException.class, "/public/name", () -> mount.attributes("/public/name", true));
        refused(NotDirectoryException.class, "/public/name", () -> mount.createDirectory("/public/name", 0700));
        refused(NotDirectoryException.class, "/public", () -> mount.list("/public"));
        refused(DirectoryNotEmptyException.class, "/closed", () -> mount.remove("/closed"));
        refusedAs("NFS4ERR_ISDIR", "/open", "it is a directory", () -> mount.open("/open", READ, 0));
        refusedAs("NFS4ERR_ISDIR", "/open", "it is a directory", () -> mount.open("/open", WRITE, 0));
        refusedAs("NFS4ERR_ISDIR", "/open", "", () -> mount.setAttributes("/open", AttributeChanges.NONE.withSize(0)));
        refused(NotLinkException.class, "/public", () -> mount.readLink("/public"));
        refused(FileSystemLoopException.class, "/loop", () -> mount.open("/loop", READ, 0));
        refused(FileAlreadyExistsException.class, "/open", () -> mount.createDirectory("/open", 0700));
        refused(FileAlreadyExistsException.class, "/public", () -> mount.open("/public", NEW, 0700));
        refused(FileAlreadyExistsException.class, "/public", () -> mount.createSymbolicLink("/public", "x"));
        refused(FileAlreadyExistsException.class, "/public", () -> mount.createLink("/public", "/private"));
        refused(NoSuchFileException.class, "/gone", () -> mount.remove("/gone"));
        refused(NoSuchFileException.class, "/gone", () -> mount.rename("/gone", "/public"));
        refused(NoSuchFileException.class, "/gone/new", () -> mount.createDirectory("/gone/new", 0700));
    }

    @Test
    void shouldRefuseMovesThatMakeNoSense() throws Exception {
        NfsMount mount = mount("/", "");
        refusedAs(
                "NFS4ERR_XDEV",
                "/refused/public",
                "different file systems",
                () -> mount.rename("/refused/public", "/squashed/public"));
        refusedAs(
                "NFS4ERR_XDEV",
                "/squashed/public",
                "different file systems",
                () -> mount.createLink("/squashed/public", "/refused/public"));
        refusedAs(
                "NFS4ERR_INVAL",
                "/refused/closed",
                "",
                () -> mount.rename("/refused/closed", "/refused/closed/inside"));
        refused(
                NotDirectoryException.class,
                "/refused/closed",
                () -> mount.rename("/refused/closed", "/refused/public"));
        refusedAs(
                "NFS4ERR_ISDIR",
                "/refused/public",
                "it is a directory",
                () -> mount.rename("/refused/public", "/refused/closed"));
        refused(
                DirectoryNotEmptyException.class,
                "/refused/open",
                () -> mount.rename("/refused/open", "/refused/closed"));
        refusedAs(
                "NFS4ERR_BADOWNER",
                "/refused/public",
                "",
                () -> mount.setAttributes(
                        "/refused/public", AttributeChanges.NONE.withOwner("nosuchuser@example.org")));
        try (RemoteFile file = mount.open("/refused/open/far", NEW, 0600)) {
            refusedAs(
                    "NFS4ERR_FBIG",
                    "/refused/open/far",
                    "larger than the server allows",
                    () -> file.write(ByteBuffer.allocate(10), Long.MAX_VALUE - 9));
            assertThatThrownBy(file::sync).isInstanceOf(NfsException.class);
        }
        for (String name : List.of("/", "/..", "/refused/open/..")) {
            for (ThrowingCallable call : List.<ThrowingCallable>of(
                    () -> mount.createDirectory(name, 0700),
                    () -> mount.remove(name),
                    () -> mount.open(name, NEW, 0))) {
                refused(NfsException.class, name, call).hasMessageContaining("the path ends with no name of its own");
            }
        }
        assertThat(guest.run("cd /export/refused && find . | sort | tr '\\n' ' '"))
                .isEqualTo(". ./closed ./closed/inner ./group ./loop ./open ./open/far ./private ./public ");
    }

    @Test
    void shouldSayThatThereIsNoSuchExport() {
        assertThatThrownBy(() -> mount("/nosuchexport", ""))
                .isInstanceOf(NfsException.class)
                .hasMessageContaining("127.0.0.1:/nosuchexport")
                .hasMessageContaining("the server has no such export: check the path");
        assertThatThrownBy(() -> mount("/refused/public", "")).hasMessageContaining("no such export");
    }

    @Test
    void shouldSayInOneLineOfTheShellWhatIsDenied(@TempDir Path folder) throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "content");
        String port = "port=" + guest.nfs().getPort();

        Launcher.Result run = new Launcher(folder)
                .runWithInput(
                        String.join(
                                "\n",
                                "nfs:mount -o uid=1001,gid=1001," + port + " 127.0.0.1:/refused a",
                                "nfs:mount -o " + port + " 127.0.0.1:/readonly r",
                                tried("nfs:cat a:/private"),
                                tried("nfs:ls a:/closed"),
                                tried("nfs:put " + file + " a:/"),
                                tried("nfs:put -f " + file + " a:/public"),
                                tried("nfs:rm a:/public"),
                                tried("nfs:chmod 777 a:/public"),
                                tried("nfs:put " + file + " r:/new"),
                                tried("nfs:rm r:/file"),
                                "nfs:cat a:/public r:/file",
                                "nfs:get a:/private " + folder + "/private"),
                        "-");

        assertThat(run.out())
                .contains("FAILED a:/private: permission denied\n")
                .contains("FAILED a:/closed: permission denied\n")
                .contains("FAILED a:/file: permission denied\n")
                .contains("FAILED a:/public: permission denied\n".repeat(3))
                .contains("FAILED r:/new: the server exports it read-only (NFS4ERR_ROFS)\n")
                .contains("FAILED r:/file: the server exports it read-only (NFS4ERR_ROFS)\n")
                .endsWith("publickept as it is\n");
        assertThat(run.failures()).containsExactly("verbena: a:/private: permission denied");
        assertThat(run.status()).isEqualTo(4);
        assertThat(folder.resolve("private")).doesNotExist();
        assertThat(guest.run("cd /export/refused; find . -name '.*verbena*'; cat public"))
                .isEqualTo("public");
    }

    /** A command whose failure is printed and does not end the script. */
    private static String tried(String command) {
        return "try { " + command + " } { echo FAILED ($exception message) }";
    }
}
