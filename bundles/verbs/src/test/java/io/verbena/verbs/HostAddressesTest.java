package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostAddressesTest {
    private static InetAddress hostOf(String address) throws Exception {
        return HostAddresses.hostOf(InetAddress.getByName(address));
    }

    @Test
    void shouldTakeTheAddressesOfOneNetworkForOneHost() throws Exception {
        assertThat(hostOf("2001:db8::1:2"))
                .isEqualTo(hostOf("2001:db8::ffff:3:4"))
                .isNotEqualTo(hostOf("2001:db8:0:1::1:2"));
    }

    @Test
    void shouldTellOtherAddressesApart() throws Exception {
        assertThat(hostOf("10.0.0.1")).isEqualTo(InetAddress.getByName("10.0.0.1"));
        assertThat(hostOf("fe80::1")).isNotEqualTo(hostOf("fe80::2"));
        assertThat(hostOf("::1")).isNotEqualTo(hostOf("::2"));
    }

    private static InetAddress host(int number) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) number});
    }

    @Test
    void shouldTakeTheOldestOfTheHostWithTheMost() throws Exception {
        Map<String, InetAddress> pending = new LinkedHashMap<>();
        pending.put("a", host(1));
        pending.put("b", host(2));
        pending.put("c", host(2));
        pending.put("d", host(1));
        pending.put("e", host(2));
        assertThat(HostAddresses.oldestOfTheMost(pending, host(3))).isEqualTo("b");
        assertThat(HostAddresses.oldestOfTheMost(pending, host(2))).isEqualTo("b");
        assertThat(HostAddresses.oldestOfTheMost(pending, host(1))).isEqualTo("a"); // each has three then
    }

    @Test
    void shouldTakeTheOldestWhereEachHostHasOne() throws Exception {
        Map<String, InetAddress> pending = new LinkedHashMap<>();
        pending.put("a", host(1));
        pending.put("b", host(2));
        assertThat(HostAddresses.oldestOfTheMost(pending, host(3))).isEqualTo("a");
        assertThat(HostAddresses.oldestOfTheMost(pending, host(2))).isEqualTo("b");
    }

    @Test
    void shouldTakeOneThatWaitsHoweverManyTheNewcomerHas() throws Exception {
        assertThat(HostAddresses.<String>oldestOfTheMost(Map.of("a", host(1)), host(2)))
                .isEqualTo("a");
    }
}
