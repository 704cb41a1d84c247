package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.verbena.nfs41.Compound;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.access.AccessRules;
import io.verbena.nfs41.server.internal.ops.Squash;
import io.verbena.rpc.Credential;
import io.verbena.xdr.XdrWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The users that principals stand for. */
class MappedUserTest extends SecurityFixture {
    private int uidOf(TestClient caller, String name) throws Exception {
        Path made = directory.resolve(name);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
        caller.opened(name, Open.SHARE_ACCESS_WRITE, 0, TestClient.unchecked(0600));
        return (Integer) Files.getAttribute(made, "unix:uid");
    }

    private void assumeRoot() throws Exception {
        assumeThat(Files.getAttribute(directory, "unix:uid"))
                .as("the tests run as root")
                .isEqualTo(0);
    }

    @Test
    void shouldExecuteRequestsForTheUsersOfPrincipals() throws Exception {
        assumeRoot();
        assertThat(uidOf(connected("a", ALICE, PRIVACY), "alice")).isEqualTo(1000);
        assertThat(uidOf(connected("b", ROOT, PRIVACY), "root")).isZero();
        assertThat(uidOf(connected("c", "boss@OTHER.ORG", INTEGRITY), "boss")).isZero();
        assertThat(uidOf(connected("d", "alice@OTHER.ORG", INTEGRITY), "other")).isEqualTo(65534);
        assertThat(uidOf(connected("e", "bob@EXAMPLE.ORG", INTEGRITY), "bob")).isEqualTo(65534);
        assertThat(uidOf(connected("f", "alice/admin@EXAMPLE.ORG", INTEGRITY), "admin"))
                .isEqualTo(65534);
        assertThat(uidOf(connected("g", "root/host@EXAMPLE.ORG", INTEGRITY), "host"))
                .isEqualTo(65534);
    }

    @Test
    void shouldSquashTheUsersOfPrincipals() throws Exception {
        assumeRoot();
        restart(settings().withSquash(new Squash(Squash.Mode.ROOT, 99, 98)));
        clock.addAndGet(TimeUnit.MINUTES.toNanos(2)); // the grace period is over
        assertThat(uidOf(connected("a", ROOT, PRIVACY), "root")).isEqualTo(99);
        assertThat(uidOf(connected("b", ALICE, PRIVACY), "alice")).isEqualTo(1000);
        restart(settings().withSquash(new Squash(Squash.Mode.ALL, 99, 98)));
        clock.addAndGet(TimeUnit.MINUTES.toNanos(2));
        assertThat(uidOf(connected("c", ALICE, PRIVACY), "nobody")).isEqualTo(99);
    }

    @Test
    void shouldAdmitTheUsersThatAreNamed() throws Exception {
        restart(settings().withAccess(AccessRules.ALL.withUsers(List.of("1000"))));
        assertThat(outcome(ALICE)).isEqualTo("SUCCESS");
        assertThat(outcome(ROOT)).isEqualTo("AUTH_REJECTEDCRED");
        assertThat(outcome("bob@EXAMPLE.ORG")).isEqualTo("AUTH_REJECTEDCRED");
    }

    private static FakeRequest request(String principal, int operations) {
        XdrWriter out = new XdrWriter();
        Compound.encodeArgs(out, new Compound.Args("", 1, operations));
        if (operations > 0) {
            root().write(out);
        }
        return FakeRequest.compound(new Credential.Proved(6, principal, PRIVACY), out);
    }

    private String outcome(String principal) throws Exception {
        FakeRequest request = request(principal, 0);
        server.handle(request);
        request.answer().get(30, TimeUnit.SECONDS);
        return request.outcome();
    }

    @Test
    void shouldLookUsersUpOnceAndOnOtherThreads() throws Exception {
        Map<String, Boolean> threads = new ConcurrentHashMap<>();
        users.onLookUp(() -> threads.put(Thread.currentThread().getName(), true));
        TestClient caller = connected("a", ALICE, PRIVACY);
        for (int i = 0; i < 10; i++) {
            assertThat(caller.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        }
        assertThat(users.lookUps).hasValue(1);
        assertThat(threads).doesNotContainKey(Thread.currentThread().getName());
        clock.addAndGet(TimeUnit.MINUTES.toNanos(6));
        outcome(ALICE);
        assertThat(users.lookUps).hasValue(2);
    }

    @Test
    void shouldHaveCallersWaitWhereTheHostCannotTell() throws Exception {
        users.down(true);
        FakeRequest later = request(ALICE, 1);
        server.handle(later);
        assertThat(new TestClient.Reply(later.answer().get(30, TimeUnit.SECONDS)).status())
                .isEqualTo(Status.NFS4ERR_DELAY);
        users.down(false);
        assertThat(outcome(ALICE)).isEqualTo("SUCCESS");
    }

    @Test
    void shouldBoundTheRequestsThatWaitForTheirUsers() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        users.onLookUp(() -> {
            try {
                answered.await(30, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        FakeRequest[] all = new FakeRequest[300];
        for (int i = 0; i < all.length; i++) {
            all[i] = request("user" + i + "@EXAMPLE.ORG", 1);
            server.handle(all[i]);
        }
        assertThat(new TestClient.Reply(all[299].answer().getNow(null)).status())
                .isEqualTo(Status.NFS4ERR_DELAY);
        answered.countDown();
        for (FakeRequest each : all) {
            each.answer().get(30, TimeUnit.SECONDS);
            assertThat(each.outcome()).isEqualTo("SUCCESS");
        }
    }

    @Test
    void shouldAnswerWhatCannotBeRead() throws Exception {
        FakeRequest broken = FakeRequest.compound(new Credential.Proved(6, ALICE, PRIVACY), new XdrWriter().putInt(77));
        server.handle(broken);
        broken.answer().get(30, TimeUnit.SECONDS);
        assertThat(broken.outcome()).isEqualTo("GARBAGE_ARGS");
    }
}
