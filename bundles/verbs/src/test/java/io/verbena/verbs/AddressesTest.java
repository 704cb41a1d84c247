package io.verbena.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class AddressesTest {
    @Test
    void shouldWriteAddressesAsPeopleDo() throws Exception {
        byte[] loopback = {127, 0, 0, 1};
        assertThat(Addresses.text(new InetSocketAddress(InetAddress.getByAddress(loopback), 20049)))
                .isEqualTo("127.0.0.1:20049");
        assertThat(Addresses.text(new InetSocketAddress(InetAddress.getByAddress("server", loopback), 20049)))
                .isEqualTo("server:20049");
        assertThat(Addresses.text(InetSocketAddress.createUnresolved("server.example", 1)))
                .isEqualTo("server.example:1");
        assertThat(Addresses.numeric(new InetSocketAddress(InetAddress.getByAddress("server", loopback), 20049)))
                .isEqualTo("127.0.0.1:20049");
        byte[] six = new byte[16];
        six[15] = 1;
        assertThat(Addresses.text(new InetSocketAddress(InetAddress.getByAddress(six), 20049)))
                .isEqualTo("[0:0:0:0:0:0:0:1]:20049");
    }
}
