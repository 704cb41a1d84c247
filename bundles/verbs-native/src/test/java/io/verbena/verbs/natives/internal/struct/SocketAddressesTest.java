package io.verbena.verbs.natives.internal.struct;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.verbs.natives.internal.struct.CmLayout.SockaddrIn;
import io.verbena.verbs.natives.internal.struct.CmLayout.SockaddrIn6;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

final class SocketAddressesTest {
    @Test
    void shouldWriteIpv4InNetworkOrder() throws UnknownHostException {
        InetSocketAddress socket = new InetSocketAddress(address(10, 0, 3, 15), 0x4e51);

        try (ScratchMemory memory = SocketAddresses.write(socket)) {
            assertThat(NativeMemory.getUnsignedShort(memory.address())).isEqualTo(NativeConstants.AF_INET);
            assertThat(NativeMemory.getBytes(memory.address() + SockaddrIn.PORT, 6))
                    .isEqualTo(new byte[] {0x4e, 0x51, 10, 0, 3, 15});
            assertThat(SocketAddresses.read(memory.address())).isEqualTo(socket);
        }
    }

    @Test
    void shouldWriteIpv6WithItsScope() throws UnknownHostException {
        byte[] linkLocal = {(byte) 0xfe, (byte) 0x80, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
        InetSocketAddress socket = new InetSocketAddress(Inet6Address.getByAddress(null, linkLocal, 3), 65535);

        try (ScratchMemory memory = SocketAddresses.write(socket)) {
            assertThat(NativeMemory.getUnsignedShort(memory.address())).isEqualTo(NativeConstants.AF_INET6);
            assertThat(NativeMemory.getBytes(memory.address() + SockaddrIn6.PORT, 2))
                    .isEqualTo(new byte[] {-1, -1});
            assertThat(NativeMemory.getBytes(memory.address() + SockaddrIn6.ADDR, 16))
                    .isEqualTo(linkLocal);
            assertThat(NativeMemory.getInt(memory.address() + SockaddrIn6.SCOPE_ID))
                    .isEqualTo(3);
            InetSocketAddress read = SocketAddresses.read(memory.address());
            assertThat(read).isEqualTo(socket);
            assertThat(((Inet6Address) read.getAddress()).getScopeId()).isEqualTo(3);
        }
    }

    @Test
    void shouldReadNoAddressAsNull() {
        try (ScratchMemory memory = new ScratchMemory(SockaddrIn6.SIZE)) {
            assertThat(SocketAddresses.read(memory.address())).isNull();
        }
    }

    @Test
    void shouldRefuseANameWithoutAddress() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SocketAddresses.write(InetSocketAddress.createUnresolved("nowhere", 1)));
    }

    private static InetAddress address(int... octets) throws UnknownHostException {
        byte[] address = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            address[i] = (byte) octets[i];
        }
        return InetAddress.getByAddress(address);
    }
}
