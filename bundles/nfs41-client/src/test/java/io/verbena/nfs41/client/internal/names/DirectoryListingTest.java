package io.verbena.nfs41.client.internal.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.DirectoryEntry;
import io.verbena.nfs.FileType;
import io.verbena.nfs.NfsException;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.ObjectType;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.mount.NfsMount;
import io.verbena.nfs41.client.internal.testing.FakeServer;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listings of servers that tell nonsense, or of directories that change meanwhile. */
@Timeout(60)
class DirectoryListingTest {
    private static final Attributes FILE =
            Attributes.builder().put(Attribute.TYPE, ObjectType.NF4REG).build();

    private final FakeServer server = new FakeServer();
    private NfsMount mount;

    @BeforeEach
    void mount() throws IOException {
        mount = server.mount("");
    }

    @AfterEach
    void close() {
        mount.close();
        server.close();
    }

    private static ReadDir.Entry entry(long cookie, String name) {
        return new ReadDir.Entry(cookie, name, FILE);
    }

    private static ReadDir.Result page(boolean eof, ReadDir.Entry... entries) {
        return new ReadDir.Result(1, List.of(entries), eof);
    }

    private static List<String> names(List<DirectoryEntry> entries) {
        return entries.stream().map(DirectoryEntry::name).toList();
    }

    @Test
    void shouldTellOfTheEntryWhoseAttributesTheServerCannotTell() throws IOException {
        Attributes failed = Attributes.builder()
                .put(Attribute.RDATTR_ERROR, Status.NFS4ERR_IO)
                .build();
        Attributes fine = Attributes.builder()
                .put(Attribute.TYPE, ObjectType.NF4DIR)
                .put(Attribute.RDATTR_ERROR, Status.NFS4_OK)
                .build();
        server.directory =
                args -> page(true, entry(3, "a"), new ReadDir.Entry(4, "b", failed), new ReadDir.Entry(5, "c", fine));
        List<DirectoryEntry> entries = mount.list("/");
        assertThat(names(entries)).containsExactly("a", "b", "c");
        assertThat(entries.get(0).failure()).isEmpty();
        assertThat(entries.get(1).isNameUsable()).isTrue();
        assertThat(entries.get(1).attributes().type()).isEqualTo(FileType.OTHER);
        assertThat(entries.get(1).failure()).hasValueSatisfying(failure -> assertThat(failure)
                .hasMessage("m:/b: the server cannot tell its attributes: the server met an I/O error (NFS4ERR_IO)"));
        assertThat(entries.get(2).failure()).isEmpty();
        assertThat(entries.get(2).attributes().isDirectory()).isTrue();
    }

    @Test
    void shouldAskForNoAttributesWhereNamesAloneAreWanted() throws IOException {
        List<AttributeMask> requests = new ArrayList<>();
        List<Integer> hints = new ArrayList<>();
        Attributes failed = Attributes.builder()
                .put(Attribute.RDATTR_ERROR, Status.NFS4ERR_IO)
                .build();
        server.directory = args -> {
            requests.add(args.request());
            hints.add(args.dirCount());
            return args.cookie() == 0
                    ? page(false, new ReadDir.Entry(3, "a", failed), new ReadDir.Entry(4, "", Attributes.EMPTY))
                    : page(true, new ReadDir.Entry(5, "b", Attributes.EMPTY));
        };
        List<DirectoryEntry> entries = new ArrayList<>();
        mount.names("/").forEach(entries::add);
        assertThat(names(entries)).containsExactly("a", "(empty)", "b");
        assertThat(entries).extracting(entry -> entry.failure().isPresent()).containsExactly(false, true, false);
        assertThat(entries).extracting(DirectoryEntry::attributes).containsOnly(DirectoryEntry.NO_ATTRIBUTES);
        assertThat(hints).as("a page is full of names").containsOnly(32768);
        assertThat(requests)
                .containsOnly(AttributeMask.of(Attribute.RDATTR_ERROR))
                .hasSize(2);
    }

    @Test
    void shouldTellOfEachEntryWhoseNameNoFileCanHaveAndGoOn() throws IOException {
        server.directory = args -> page(
                true,
                entry(3, "a"),
                entry(4, ".."),
                entry(5, "../../etc/passwd"),
                entry(6, ""),
                entry(7, "nul\0"),
                entry(8, "."),
                entry(9, "z"));
        List<DirectoryEntry> entries = mount.list("/");
        assertThat(names(entries))
                .containsExactly(
                        "a", "\\x2E\\x2E", "..\\x2F..\\x2Fetc\\x2Fpasswd", "(empty)", "nul\\x00", "\\x2E", "z");
        assertThat(entries)
                .filteredOn(DirectoryEntry::isNameUsable)
                .extracting(DirectoryEntry::name)
                .containsExactly("a", "z");
        assertThat(entries.get(1).failure()).hasValueSatisfying(failure -> assertThat(failure)
                .hasMessage("m:/: the server lists '\\x2E\\x2E' in it, a name that no file can have"));
    }

    @ParameterizedTest
    @EnumSource(names = {"NFS4ERR_NOT_SAME", "NFS4ERR_BAD_COOKIE"})
    void shouldStartOverAndGiveNoEntryTwice(Status refused) throws IOException {
        AtomicInteger second = new AtomicInteger();
        server.directory = args -> {
            boolean again = second.get() > 0;
            if (args.cookie() == 0) {
                return again
                        ? page(false, entry(10, "b"), entry(11, "new"))
                        : page(false, entry(3, "a"), entry(4, "b"));
            }
            return !again && second.incrementAndGet() == 1 ? refused : page(true, entry(12, "a"), entry(13, "c"));
        };
        assertThat(names(mount.list("/"))).containsExactly("a", "b", "new", "c");
    }

    @Test
    void shouldStartOverNoMoreThanABoundedNumberOfTimes() {
        server.directory = args -> args.cookie() == 0 ? page(false, entry(3, "a")) : Status.NFS4ERR_NOT_SAME;
        int before = server.seen.size();
        assertThatThrownBy(() -> mount.list("/"))
                .isInstanceOf(NfsException.class)
                .hasMessage("m:/: it was changed each time that it was listed; list it again (NFS4ERR_NOT_SAME)");
        assertThat(server.opcodesSince(before).stream().filter(each -> each == Opcode.READDIR))
                .hasSize(2 * (DirectoryPages.MAX_RESTARTS + 1));
    }

    @Test
    void shouldFailWhereTheFirstPageCannotBeHad() {
        server.failNext(Opcode.READDIR, Status.NFS4ERR_BAD_COOKIE);
        assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("NFS4ERR_BAD_COOKIE");
    }

    @Test
    void shouldEndAListingWhoseCookieComesAgain() {
        server.directory = args -> page(false, entry(3 + args.cookie() % 5, "name" + args.cookie()));
        assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("goes in circles");
    }

    @Test
    void shouldEndAListingThatComesBackToItsOwnCookie() {
        server.directory = args -> page(false, entry(7, "a"));
        assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("goes in circles");
    }

    @Test
    void shouldEndAListingThatBeginsAnew() {
        server.directory = args -> page(false, entry(0, "a"));
        assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("goes in circles");
    }

    @Test
    void shouldEndAListingThatGivesTheSameNamesUnderOtherCookies() {
        server.directory = args -> page(false, entry(args.cookie() + 3, "name" + args.cookie() % 4));
        assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("goes in circles");
    }

    @Test
    void shouldEndAListingThatGivesTheSameNamesUnderOtherCookiesAfterItHasStartedOver() {
        AtomicInteger pages = new AtomicInteger();
        server.directory = args -> pages.incrementAndGet() == 3
                ? Status.NFS4ERR_NOT_SAME
                : page(false, entry(args.cookie() + 3, "name" + args.cookie() % 4));
        assertThatThrownBy(() -> mount.list("/")).hasMessageContaining("goes in circles");
    }

    @Test
    void shouldKnowEachNameOnce() {
        ListedNames names = new ListedNames(5_000, new SystemRuntime().random());
        List<String> all = IntStream.range(0, 5_000).mapToObj(i -> "name" + i).toList();
        assertThat(all).allMatch(names::add);
        assertThat(all).noneMatch(names::add);
        assertThat(names.isWhole()).isTrue();
        assertThat(names.add("one more")).isTrue();
        assertThat(names.isWhole()).isFalse();
        assertThat(names.size()).isEqualTo(5_000);
    }

    @Test
    void shouldTellTheSameAgainToWhoAsksAgain() throws IOException {
        server.directory = args -> page(false, entry(7, "name"));
        List<String> told = new ArrayList<>();
        var entries = mount.entries("/").iterator();
        assertThat(entries.next().name()).isEqualTo("name");
        for (int i = 0; i < 2; i++) {
            try {
                while (entries.hasNext()) {
                    entries.next();
                }
            } catch (RuntimeException e) {
                told.add(e.getCause().getMessage());
            }
        }
        assertThat(told).hasSize(2).allMatch(message -> message.contains("goes in circles"));
    }
}
