package io.verbena.verbs.natives.internal;

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
 * The IP addresses of devices: those of their network interfaces, of which the kernel tells in {@code sysfs}. There are
 * several ways, and no driver has them all.
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

    /** What lists the network interfaces. */
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

    /** Names of interfaces: of those that the GIDs belong to; else of the one that a driver names; else the adapter's. */
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

    /** A place without a GID cannot be read: there is no name there. */
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

    /** The GID of an iWARP device begins with its interface's hardware address (rdma-core's and Linux's custom). */
    private static boolean isOneOf(List<String> gids, String mac) {
        return !mac.isEmpty()
                && gids.stream().anyMatch(gid -> HexFormat.of()
                        .formatHex(address(gid).getAddress())
                        .startsWith(mac));
    }

    /** RoCE's GID of an IPv4 address is the IPv6 address that is mapped to it: InetAddress reads it as the former. */
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
