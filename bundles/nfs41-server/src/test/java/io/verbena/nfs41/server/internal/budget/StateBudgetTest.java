package io.verbena.nfs41.server.internal.budget;

import static io.verbena.nfs41.server.internal.budget.StateBudget.GUARANTEED;
import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

class StateBudgetTest {
    private static final int CLIENTS = 64;
    private static final long SHARED = CLIENTS * GUARANTEED;
    private static final int STEP = 100;

    private final StateBudget budget = new StateBudget(2 * SHARED);

    private ClientAccount open(String address, int uid) {
        return opened(address, uid, () -> {});
    }

    private ClientAccount opened(String address, int uid, Runnable ended) {
        return budget.open(new InetSocketAddress(address, 700), new Principal(1, uid), ended);
    }

    private ClientAccount confirmed(String address, int uid) {
        ClientAccount account = open(address, uid);
        if (account != null) {
            assertThat(account.confirm()).isTrue();
        }
        return account;
    }

    /** Takes until it is refused, in small steps. */
    private static long takeAll(ClientAccount account) {
        long taken = 0;
        while (account.take(StateKind.OPENS, STEP)) {
            taken += STEP;
        }
        return taken;
    }

    @Test
    void shouldHaveRoomForTenThousandClientsWhereTheMemoryHas() {
        assertThat(new StateBudget(2 * 10_000 * GUARANTEED).maxClients()).isEqualTo(10_000);
    }

    @Test
    void shouldGiveAClientNoMoreThanAThirdOfWhatIsShared() {
        long taken = takeAll(open("10.0.0.1", 0));
        assertThat(taken).isBetween(GUARANTEED + SHARED / 3 - STEP, GUARANTEED + SHARED / 3);
    }

    @Test
    void shouldLeaveHalfToOtherAddressesAndSomethingToOtherPrincipals() {
        long taken = 0;
        for (int i = 0; i < 8; i++) {
            taken += takeAll(open("10.0.0.1", 0)) - GUARANTEED;
        }
        assertThat(taken).isLessThanOrEqualTo(SHARED * 3 / 7);
        for (int uid = 1; uid < 20; uid++) {
            taken += takeAll(open("10.0.0.1", uid)) - GUARANTEED;
        }
        assertThat(taken).isBetween(SHARED * 2 / 5, SHARED / 2);
        assertThat(takeAll(open("10.0.0.2", 0)) - GUARANTEED).isBetween(SHARED / 7, SHARED / 2);
    }

    @Test
    void shouldGuaranteeEachClientItsPartWhateverOthersHold() {
        List<ClientAccount> all = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            all.add(confirmed("10.0.0." + i / 8, i));
        }
        all.subList(0, CLIENTS / 2).forEach(StateBudgetTest::takeAll);
        all.subList(CLIENTS / 2, CLIENTS).forEach(account -> {
            assertThat(account.spare()).isGreaterThanOrEqualTo(GUARANTEED);
            assertThat(account.take(StateKind.SESSIONS, GUARANTEED)).isTrue();
        });
        assertThat(confirmed("10.1.1.1", 0)).isNull();
        assertThat(budget.held()).isLessThanOrEqualTo(budget.limit());
    }

    @Test
    void shouldCapTheClientsOfAPrincipalAndOfAnAddress() {
        List<ClientAccount> own = new ArrayList<>();
        for (ClientAccount each = confirmed("10.0.0.1", 0); each != null; each = confirmed("10.0.0.1", 0)) {
            own.add(each);
        }
        assertThat(own).hasSize(CLIENTS / 2 * 3 / 4);
        ClientAccount neighbour = confirmed("10.0.0.1", 1);
        Predicate<ClientAccount> obstacles =
                budget.obstacles(new InetSocketAddress("10.0.0.1", 800), new Principal(1, 0));
        assertThat(obstacles).accepts(own.get(0)).rejects(neighbour);
        for (int i = 1; i < CLIENTS / 2 / 4; i++) {
            assertThat(confirmed("10.0.0.1", 1)).isNotNull();
        }
        assertThat(confirmed("10.0.0.1", 1)).isNull();
        assertThat(confirmed("10.0.0.2", 1)).isNotNull();
        own.get(0).close();
        assertThat(confirmed("10.0.0.1", 1)).isNotNull();
    }

    @Test
    void shouldTakeHostsOfAnIpv6NetworkForOne() {
        for (int i = 0; i < CLIENTS / 2; i++) {
            assertThat(confirmed("2001:db8::" + Integer.toHexString(i), i)).isNotNull();
        }
        assertThat(confirmed("2001:db8::ffff", 99)).isNull();
        assertThat(confirmed("2001:db8:0:1::1", 99)).isNotNull();
    }

    @Test
    void shouldEndUnconfirmedClientsThatAreInTheWayTheOldestFirst() {
        List<String> ended = new ArrayList<>();
        ClientAccount elsewhere = opened("10.0.0.2", 0, () -> ended.add("elsewhere"));
        ClientAccount first = opened("10.0.0.1", 0, () -> ended.add("first"));
        ClientAccount second = opened("10.0.0.1", 0, () -> ended.add("second"));
        assertThat(second.take(StateKind.CLIENTS, 1000)).isTrue();
        for (int i = 2; i < CLIENTS / 2 * 3 / 4; i++) {
            assertThat(confirmed("10.0.0.1", 0)).isNotNull();
        }
        assertThat(first.confirm()).isTrue();
        assertThat(confirmed("10.0.0.1", 0)).isNotNull();
        assertThat(ended).containsExactly("second");
        assertThat(second.confirm()).isFalse();
        assertThat(second.take(StateKind.SESSIONS, 1)).isFalse();
        second.give(StateKind.CLIENTS, 1000);
        assertThat(open("10.0.0.1", 0)).isNull();
        assertThat(budget.refusals()).isEqualTo(2);
        assertThat(ended).containsExactly("second");
        assertThat(elsewhere.confirm()).isTrue();
    }

    @Test
    void shouldTakeNothingForAClientThatIsNoMore() {
        ClientAccount account = open("10.0.0.1", 0);
        assertThat(account.take(StateKind.OPENS, 1000)).isTrue();
        account.close();
        account.close();
        assertThat(account.take(StateKind.OPENS, 1)).isFalse();
        account.give(StateKind.OPENS, 1000);
        assertThat(budget.held()).isZero();
        assertThat(budget.addresses()).isZero();
    }

    @Test
    void shouldTellOfRefusals() {
        AtomicInteger told = new AtomicInteger();
        Runnable listener = told::incrementAndGet;
        budget.addListener(listener);
        ClientAccount account = open("10.0.0.1", 0);
        assertThat(account.take(StateKind.OPENS, budget.limit())).isFalse();
        budget.removeListener(listener);
        assertThat(account.take(StateKind.OPENS, budget.limit())).isFalse();
        assertThat(told).hasValue(1);
        assertThat(budget.refusals()).isEqualTo(2);
        budget.addListener(listener);
        for (int i = 0; i < CLIENTS / 2 * 3 / 4; i++) {
            assertThat(confirmed("10.0.0.1", 0)).isNotNull();
        }
        assertThat(told).hasValue(1);
        assertThat(open("10.0.0.1", 0)).isNull();
        assertThat(told).hasValue(2);
    }

    @Test
    void shouldKeepToALimitThatWasLowered() {
        ClientAccount account = open("10.0.0.1", 0);
        long taken = takeAll(account);
        budget.limit(SHARED);
        assertThat(account.take(StateKind.OPENS, STEP)).isFalse();
        account.give(StateKind.OPENS, taken);
        assertThat(takeAll(account)).isLessThan(GUARANTEED + SHARED / 6 + STEP);
    }

    @Test
    void shouldHoldNothingWhereAllWasGivenBack() {
        Random random = new Random(42);
        Map<ClientAccount, List<Long>> holders = new LinkedHashMap<>();
        for (int i = 0; i < 100_000; i++) {
            ClientAccount any =
                    holders.isEmpty() ? null : new ArrayList<>(holders.keySet()).get(random.nextInt(holders.size()));
            int what = random.nextInt(100);
            if (any == null || what < 2) {
                ClientAccount opened = open("10.0.0." + random.nextInt(3), random.nextInt(3));
                if (opened != null) {
                    holders.put(opened, new ArrayList<>());
                }
            } else if (what < 60) {
                long octets = random.nextInt(20_000);
                if (any.take(StateKind.REPLIES, octets)) {
                    holders.get(any).add(octets);
                }
            } else if (what < 99 && !holders.get(any).isEmpty()) {
                any.give(StateKind.REPLIES, holders.get(any).remove(0));
            } else if (what == 99) {
                end(any, holders.remove(any));
            }
            assertThat(budget.held()).isBetween(0L, budget.limit());
        }
        assertThat(budget.refusals()).isPositive();
        holders.forEach(StateBudgetTest::end);
        assertThat(budget.held()).isZero();
        assertThat(budget.heldByKind().values()).containsOnly(0L);
        assertThat(budget.addresses()).isZero();
        takeAll(open("10.0.0.1", 0));
        assertThat(budget.held()).isGreaterThan(SHARED / 3);
    }

    private static void end(ClientAccount account, List<Long> held) {
        account.close();
        held.forEach(octets -> account.give(StateKind.REPLIES, octets));
    }
}
