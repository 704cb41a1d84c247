package io.verbena.rpcrdma.dispatcher.internal.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpcrdma.dispatcher.internal.endpoint.AdmittedConnections.Candidate;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which connection is ended for a new one. */
class AdmittedConnectionsTest {
    private static final long UNMADE = -1;
    private static final long LONG_ENOUGH = 100;

    private final List<Candidate> taken = new ArrayList<>();

    private static InetAddress host(int number) {
        try {
            return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private void candidate(int host, long silent) {
        taken.add(new Candidate(taken.size(), host(host), false, silent));
    }

    private void busy(int host, long silent) {
        taken.add(new Candidate(taken.size(), host(host), true, silent));
    }

    private Long victim(int newcomer) {
        Candidate candidate = AdmittedConnections.victim(taken, host(newcomer), LONG_ENOUGH);
        return candidate == null ? null : candidate.id();
    }

    @Test
    void shouldTakeTheLongestIdleOfTheAddressWithTheMost() {
        candidate(1, 5);
        candidate(1, 7);
        candidate(1, 6);
        candidate(2, 90);
        assertThat(victim(3)).isEqualTo(1);
        assertThat(victim(2)).isEqualTo(1);
    }

    @Test
    void shouldTakeWhatIsUnderWayOfTheHostWithTheMostOnly() {
        busy(1, 5);
        busy(1, 50);
        busy(1, 7);
        candidate(2, 90);
        assertThat(victim(1)).isNull();
        assertThat(victim(2)).isEqualTo(1);
        assertThat(victim(3)).isEqualTo(1);
        candidate(1, 0);
        assertThat(victim(3)).isEqualTo(4); // what is idle goes first
    }

    @Test
    void shouldKeepWhatDoesNotStandYet() {
        candidate(1, UNMADE);
        candidate(1, UNMADE);
        assertThat(victim(2)).isNull();
    }

    @Test
    void shouldNotLetTheGreediestHaveOthersSeats() {
        candidate(1, 5);
        candidate(1, 7);
        busy(1, 500);
        candidate(2, 90);
        assertThat(victim(1)).isNull();
    }

    @Test
    void shouldTakeWhatIsIdleLongEnoughForAnybody() {
        candidate(1, 100);
        candidate(1, 99);
        busy(1, 500);
        candidate(2, 500);
        assertThat(victim(1)).isZero(); // the greediest gives first, even to itself
        taken.remove(0);
        assertThat(victim(1)).isEqualTo(3);
    }

    @Test
    void shouldNotPushBetweenAddressesThatHaveTheSame() {
        candidate(1, 5);
        candidate(2, 5);
        assertThat(victim(3)).isNull(); // would only go round in circles
        assertThat(victim(1)).isNull();
    }
}
