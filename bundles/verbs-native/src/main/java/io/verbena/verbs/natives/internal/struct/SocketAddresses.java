package io.verbena.verbs.natives.internal.struct;

import io.verbena.verbs.natives.internal.struct.CmLayout.SockaddrIn;
import io.verbena.verbs.natives.internal.struct.CmLayout.SockaddrIn6;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Reads and writes {@code sockaddr_in} and {@code sockaddr_in6}. */
public final class SocketAddresses {
    private static final int IPV4_OCTETS = 4;
    private static final int IPV6_OCTETS = 16;

    private SocketAddresses() {}

    public static ScratchMemory write(InetSocketAddress socket) {
        if (socket.isUnresolved()) {
            throw new IllegalArgumentException(socket + " is not resolved");
        }
        InetAddress host = socket.getAddress();
        if (host instanceof Inet6Address six) {
            ScratchMemory memory = new ScratchMemory(SockaddrIn6.SIZE);
            memory.putShort(SockaddrIn6.FAMILY, NativeConstants.AF_INET6);
            memory.put(SockaddrIn6.PORT, bigEndian(socket.getPort()));
            memory.put(SockaddrIn6.ADDR, host.getAddress());
            memory.putInt(SockaddrIn6.SCOPE_ID, six.getScopeId());
            return memory;
        }
        ScratchMemory memory = new ScratchMemory(SockaddrIn.SIZE);
        memory.putShort(SockaddrIn.FAMILY, NativeConstants.AF_INET);
        memory.put(SockaddrIn.PORT, bigEndian(socket.getPort()));
        memory.put(SockaddrIn.ADDR, host.getAddress());
        return memory;
    }

    private static byte[] bigEndian(int port) {
        return new byte[] {(byte) (port >> 8), (byte) port};
    }

    /** Reads an address; null where its family is another. */
    public static InetSocketAddress read(long address) {
        try {
            return switch (NativeMemory.getUnsignedShort(address + SockaddrIn.FAMILY)) {
                case NativeConstants.AF_INET -> {
                    byte[] host = NativeMemory.getBytes(address + SockaddrIn.ADDR, IPV4_OCTETS);
                    yield new InetSocketAddress(InetAddress.getByAddress(host), port(address + SockaddrIn.PORT));
                }
                case NativeConstants.AF_INET6 -> {
                    byte[] host = NativeMemory.getBytes(address + SockaddrIn6.ADDR, IPV6_OCTETS);
                    int scope = NativeMemory.getInt(address + SockaddrIn6.SCOPE_ID);
                    yield new InetSocketAddress(
                            Inet6Address.getByAddress(null, host, scope == 0 ? -1 : scope),
                            port(address + SockaddrIn6.PORT));
                }
                default -> null;
            };
        } catch (UnknownHostException e) {
            throw new IllegalStateException("An address has the length of another family's", e);
        }
    }

    private static int port(long address) {
        return NativeMemory.getUnsignedByte(address) << 8 | NativeMemory.getUnsignedByte(address + 1);
    }
}
