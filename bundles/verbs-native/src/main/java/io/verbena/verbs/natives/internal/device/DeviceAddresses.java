package io.verbena.verbs.natives.internal.device;

import io.verbena.verbs.natives.internal.Log;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The IP addresses of devices: those of their network interfaces, which the kernel names in {@code sysfs}. There are
 * several files for that, and no driver provides all of them.
 */
final class DeviceAddresses {
    static final DeviceAddresses OF_THIS_HOST =
            new DeviceAddresses(Path.of("/sys/class/infiniband"), DeviceAddresses::interfacesOfThisHost);

    /**
     * A network interface.
     *
     * @param mac the hardware address in hexadecimal digits; empty where there is none
     */
    record Interface(String name, String mac, List<String> addresses) {}

    /** Lists the network interfaces. */
    interface Interfaces {
        List<Interface> list() throws IOException;
    }

    private final Path folder;
    private final Interfaces interfaces;

    DeviceAddresses(Path folder, Interfaces interfaces) {
        this.folder = folder;
        this.interfaces = interfaces;
    }

    private static List<Interface> interfacesOfThisHost() throws SocketException {
        List<Interface> list = new ArrayList<>();
        for (NetworkInterface network : NetworkInterface.networkInterfaces().toList()) {
            byte[] mac = network.getHardwareAddress();
            list.add(new Interface(
                    network.getName(),
                    mac == null ? "" : HexFormat.of().formatHex(mac),
                    network.inetAddresses().map(InetAddress::getHostAddress).toList()));
        }
        return list;
    }

    /** The addresses of a device, without repetition; empty where none is known. */
    List<String> of(String device, int ports, boolean iwarp, List<String> gids) {
        Set<String> addresses = new LinkedHashSet<>();
        try {
            Set<String> names = networks(device, ports);
            for (Interface network : interfaces.list()) {
                if (names.contains(network.name()) || (names.isEmpty() && iwarp && isOneOf(gids, network.mac()))) {
                    addresses.addAll(network.addresses());
                }
            }
        } catch (IOException e) {
            Log.LOGGER.debug("the addresses of {} are not found", device, e);
        }
        if (addresses.isEmpty() && !iwarp) {
            gids.forEach(gid -> addIpv4(gid, addresses));
        }
        return List.copyOf(addresses);
    }

    /**
     * Names of interfaces: those that the GIDs belong to; else the one that the driver names; else those of the
     * adapter.
     */
    private Set<String> networks(String device, int ports) {
        Set<String> names = new LinkedHashSet<>();
        for (int port = 1; port <= ports; port++) {
            for (Path file : files(folder.resolve(device).resolve("ports/" + port + "/gid_attrs/ndevs"))) {
                addLine(file, names);
            }
        }
        if (names.isEmpty()) {
            addLine(folder.resolve(device).resolve("parent"), names);
        }
        if (names.isEmpty()) {
            for (Path network : files(folder.resolve(device).resolve("device/net"))) {
                names.add(network.getFileName().toString());
            }
        }
        return names;
    }

    private static List<Path> files(Path folder) {
        List<Path> files = new ArrayList<>();
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> stream = Files.newDirectoryStream(folder)) {
                stream.forEach(files::add);
            } catch (IOException e) {
                Log.LOGGER.debug("{} cannot be listed", folder, e);
            }
        }
        return files;
    }

    /** Adds the name in a file. The file of a table entry without a GID cannot be read: it holds no name. */
    private static void addLine(Path file, Set<String> names) {
        if (Files.isRegularFile(file)) {
            try {
                String name = Files.readString(file).strip();
                if (!name.isEmpty()) {
                    names.add(name);
                }
            } catch (IOException e) {
                Log.LOGGER.trace("{} says nothing", file, e);
            }
        }
    }

    /**
     * Whether the GID of an iWARP device begins with the hardware address of the interface, as rdma-core and Linux make
     * it.
     */
    private static boolean isOneOf(List<String> gids, String mac) {
        return !mac.isEmpty()
                && gids.stream().anyMatch(gid -> HexFormat.of()
                        .formatHex(address(gid).getAddress())
                        .startsWith(mac));
    }

    /**
     * Adds the IPv4 address of a GID. RoCE's GID of an IPv4 address is the IPv4-mapped IPv6 address, which InetAddress
     * reads as the IPv4 address.
     */
    private static void addIpv4(String gid, Set<String> addresses) {
        InetAddress address = address(gid);
        if (address instanceof Inet4Address) {
            addresses.add(address.getHostAddress());
        }
    }

    private static InetAddress address(String gid) {
        try {
            return InetAddress.getByName(gid);
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("No GID: " + gid, e);
        }
    }
}
