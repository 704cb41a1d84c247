package io.verbena.verbs.iwarp.internal.tcp;

import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.iwarp.internal.Log;
import io.verbena.verbs.iwarp.internal.wire.Iwarp;
import io.verbena.verbs.iwarp.internal.wire.MpaFrame;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Network interfaces and routes: segment sizes, device names, and which peers are reachable. Any thread. */
public final class NetworkPath {
    private static final int IPV4_AND_TCP = 20 + 20;
    private static final int IPV6_AND_TCP = 40 + 20;
    private static final int TIMESTAMPS = 12;
    private static final int MAX_PACKET = 0xffff;
    private static final int DEFAULT_MTU = 1500;
    private static final int LEAST_MTU = 576;

    private NetworkPath() {}

    /**
     * The effective maximum segment size for a local address, in whole words. Java does not tell TCP's own value, so it
     * is computed from the MTU of the interface. Where the value is wrong, FPDUs only lose their alignment with
     * segments, which costs speed.
     */
    static int maxSegment(InetAddress local) {
        return maxSegment(mtu(local), local instanceof Inet6Address);
    }

    /** The segment size for a local address within a bound that a user has set; 0 is no bound. */
    public static int maxSegment(InetAddress local, int bound) {
        int segment = maxSegment(local);
        return bound == 0 ? segment : Math.min(segment, Math.max(bound, LEAST_MTU) & ~3);
    }

    public static int maxSegment(int mtu, boolean ipv6) {
        int packet = Math.min(Math.max(mtu, LEAST_MTU), MAX_PACKET);
        return (packet - (ipv6 ? IPV6_AND_TCP : IPV4_AND_TCP) - TIMESTAMPS) & ~3;
    }

    /** The name of the device that has that address; empty where no device has it. */
    static String deviceName(InetAddress local) {
        try {
            NetworkInterface network = NetworkInterface.getByInetAddress(local);
            return network == null ? "" : deviceName(network);
        } catch (IOException e) {
            Log.LOGGER.debug("no interface known for {}", local, e);
            return "";
        }
    }

    private static String deviceName(NetworkInterface network) {
        return "iwarp-" + network.getName();
    }

    private static int mtu(InetAddress local) {
        try {
            NetworkInterface network = NetworkInterface.getByInetAddress(local);
            return network == null ? DEFAULT_MTU : network.getMTU();
        } catch (IOException e) {
            Log.LOGGER.debug("no MTU known for {}", local, e);
            return DEFAULT_MTU;
        }
    }

    /** Whether the system has a route to that address. */
    public static boolean reaches(InetSocketAddress remote) {
        if (remote.isUnresolved()) {
            return false;
        }
        // connecting a datagram socket looks up the route and sends nothing
        try (DatagramChannel probe = DatagramChannel.open()) {
            probe.connect(new InetSocketAddress(remote.getAddress(), Math.max(1, remote.getPort())));
            return true;
        } catch (IOException e) {
            Log.LOGGER.debug("no route to {}", remote, e);
            return false;
        }
    }

    /** One device for each network interface that is up. */
    public static List<RdmaDevice> devices() {
        List<RdmaDevice> devices = new ArrayList<>();
        try {
            for (NetworkInterface network : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                if (network.isUp() && network.getInetAddresses().hasMoreElements()) {
                    devices.add(device(network));
                }
            }
        } catch (IOException e) {
            Log.LOGGER.warn("cannot list network interfaces", e);
        }
        return devices;
    }

    private static RdmaDevice device(NetworkInterface network) throws IOException {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(
                "addresses",
                network.inetAddresses().map(InetAddress::getHostAddress).collect(Collectors.joining(", ")));
        attributes.put("mtu", Integer.toString(network.getMTU()));
        attributes.put("emss", Integer.toString(maxSegment(network.getMTU(), false)));
        attributes.put("max_ird", Integer.toString(Iwarp.MPA_READS_MASK - 1));
        attributes.put("max_ord", Integer.toString(Iwarp.MPA_READS_MASK - 1));
        attributes.put("max_private_data", Integer.toString(MpaFrame.MAX_USER_DATA));
        return new RdmaDevice(deviceName(network), "iwarp", true, Collections.unmodifiableMap(attributes));
    }
}
