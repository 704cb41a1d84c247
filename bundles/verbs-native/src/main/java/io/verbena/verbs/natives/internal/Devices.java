package io.verbena.verbs.natives.internal;

import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The devices of this host. What never changes of one is asked for once. */
final class Devices {
    private final Natives natives;
    private final DeviceAddresses addresses;
    private final Check check;
    /** By their contexts, which stay open as long as the provider runs: none is another device's later. */
    private final Map<Long, Device> known = new ConcurrentHashMap<>();

    private final List<ReservedOffset> reserved = new ArrayList<>();

    /** Why devices are not used. */
    private final Map<Long, String> refused = new ConcurrentHashMap<>();

    /** What looks at a device before it is used. */
    interface Check {
        void check(long context) throws NativeUnavailableException;
    }

    Devices(Natives natives) {
        this(
                natives,
                DeviceAddresses.OF_THIS_HOST,
                new SelfCheck(natives.verbs(), natives.cm(), SelfCheck.Reader.OF_THIS_PROCESS)::check);
    }

    Devices(Natives natives, DeviceAddresses addresses, Check check) {
        this.check = check;
        this.natives = natives;
        this.addresses = addresses;
    }

    /**
     * The device of a context.
     *
     * @throws RdmaException UNREACHABLE if it cannot be used
     */
    Device of(long context) throws NativeException, RdmaException {
        Device device = known.get(context);
        if (device != null) {
            return device;
        }
        if (!refused.containsKey(context)) {
            // what is in the list stays open, though the device may go
            boolean listed = Arrays.stream(natives.cm().devices()).anyMatch(other -> other == context);
            if (!listed) {
                throw new RdmaException(Kind.UNREACHABLE, "the device is gone, or rdma_cm_id.verbs is not known");
            }
        }
        return examine(context);
    }

    /**
     * The device of a context, as far as users may use it.
     *
     * @throws RdmaException UNREACHABLE if it cannot be used, or is not to be
     */
    Device usable(long context, NativeSettings settings) throws NativeException, RdmaException {
        Device device = of(context);
        if (!settings.mayUse(device.name())) {
            throw new RdmaException(
                    Kind.UNREACHABLE,
                    "the way there is by device " + device.name() + ", which the configuration "
                            + NativeConfiguration.PID + " leaves out: add it to the key devices, or take another way");
        }
        return device;
    }

    /** A device that is in the list. */
    private Device examine(long context) throws NativeException, RdmaException {
        Device device = known.get(context);
        return device == null ? add(context) : device;
    }

    private synchronized Device add(long context) throws NativeException, RdmaException {
        requireUsable(context);
        Device device = known.get(context);
        if (device == null) {
            device = describe(context);
            if (device.mistakesOffset()) {
                reserved.add(ReservedOffset.of(natives.verbs(), context));
            }
            known.put(context, device);
        }
        return device;
    }

    private void requireUsable(long context) throws RdmaException {
        if (!known.containsKey(context) && !refused.containsKey(context)) {
            try {
                check.check(context);
            } catch (NativeUnavailableException e) {
                Log.LOGGER.warn("a device is left out: {}", e.getMessage());
                refused.put(context, e.getMessage());
            }
        }
        String reason = refused.get(context);
        if (reason != null) {
            throw new RdmaException(Kind.UNREACHABLE, reason);
        }
    }

    /** Frees what it holds of devices; the last thing. */
    synchronized void close() {
        reserved.forEach(ReservedOffset::release);
        reserved.clear();
    }

    private Device describe(long context) throws NativeException {
        Ibverbs verbs = natives.verbs();
        DeviceAttributes attributes = verbs.queryDevice(context);
        String missing = missingForWindows(context, attributes);
        return new Device(
                context,
                verbs.deviceName(context),
                attributes,
                missing == null ? Registration.WINDOW : Registration.REGION,
                missing == null ? "the device has type-2 memory windows and Send with Invalidate" : missing);
    }

    /** Why windows cannot be used, or null. */
    private String missingForWindows(long context, DeviceAttributes attributes) {
        if (attributes.iwarp()) {
            return "iWARP devices have no memory windows for user space";
        }
        if ((attributes.capabilities() & (Layout.IBV_DEVICE_MEM_WINDOW_TYPE_2A | Layout.IBV_DEVICE_MEM_WINDOW_TYPE_2B))
                == 0) {
            return "the device has no type-2 memory windows";
        }
        if ((attributes.capabilities() & Layout.IBV_DEVICE_MEM_MGT_EXTENSIONS) == 0) {
            return "the device has no memory management extensions";
        }
        try {
            long pd = natives.verbs().allocPd(context);
            try {
                natives.verbs().deallocMw(natives.verbs().allocMw(pd));
            } finally {
                natives.verbs().deallocPd(pd);
            }
            return null;
        } catch (NativeException e) {
            return "the device claims type-2 memory windows, but " + e.getMessage();
        }
    }

    /** Says which names of the configuration are of no device that there is; one may come yet. */
    void warnOfUnknown(NativeSettings settings) {
        if (settings.devices().isEmpty()) {
            return;
        }
        try {
            List<String> there = Arrays.stream(natives.cm().devices())
                    .mapToObj(natives.verbs()::deviceName)
                    .sorted()
                    .toList();
            List<String> unknown = settings.devices().stream()
                    .filter(name -> !there.contains(name))
                    .toList();
            if (!unknown.isEmpty()) {
                Log.LOGGER.warn(
                        "{}: of the devices that may be used there is no {}; there is {}",
                        NativeConfiguration.PID,
                        String.join(", ", unknown),
                        there.isEmpty() ? "none" : String.join(", ", there));
            }
        } catch (NativeException e) {
            Log.LOGGER.warn("listing the devices failed", e);
        }
    }

    /** All that may be used, as they are now. */
    List<RdmaDevice> list(NativeSettings settings) {
        List<RdmaDevice> list = new ArrayList<>();
        try {
            for (long context : natives.cm().devices()) {
                add(context, settings, list);
            }
        } catch (NativeException e) {
            Log.LOGGER.warn("listing the devices failed", e);
        }
        return list;
    }

    /** Whether an address of this host is that of a device that may be used. */
    boolean have(InetAddress address, NativeSettings settings) {
        return list(settings).stream()
                .map(device -> device.attributes().getOrDefault(RdmaDevice.ADDRESSES, ""))
                .anyMatch(addresses -> List.of(addresses.split(", ")).contains(address.getHostAddress()));
    }

    /** A device that goes while it is asked leaves the others where they are. */
    private void add(long context, NativeSettings settings, List<RdmaDevice> list) {
        try {
            Device device = examine(context);
            if (settings.mayUse(device.name())) {
                list.add(show(device));
            }
        } catch (NativeException | RdmaException e) {
            Log.LOGGER.debug("a device is left out of the list", e);
        }
    }

    private RdmaDevice show(Device device) throws NativeException {
        DeviceAttributes attributes = device.attributes();
        boolean active = false;
        boolean ethernet = true;
        List<String> gids = new ArrayList<>();
        Map<String, String> ports = new LinkedHashMap<>();
        for (int port = 1; port <= attributes.ports(); port++) {
            PortAttributes p = natives.verbs().queryPort(device.context(), port);
            String prefix = attributes.ports() == 1 ? "port_" : "port" + port + "_";
            ports.put(prefix + "state", p.state());
            ports.put(prefix + "gids", String.join(", ", p.gids()));
            ports.put(prefix + "active_mtu", Integer.toString(p.activeMtu()));
            gids.addAll(p.gids());
            active |= p.state().equals("ACTIVE");
            ethernet &= p.ethernet();
        }
        Map<String, String> map = new LinkedHashMap<>();
        List<String> found = addresses.of(device.name(), attributes.ports(), attributes.iwarp(), gids);
        if (!found.isEmpty()) {
            map.put(RdmaDevice.ADDRESSES, String.join(", ", found));
        }
        map.putAll(ports);
        map.put("firmware", attributes.firmware());
        map.put("vendor_id", "0x" + Integer.toHexString(attributes.vendorId()));
        map.put("max_qp_wr", Integer.toString(attributes.maxQpWr()));
        map.put("max_cqe", Integer.toString(attributes.maxCqe()));
        map.put("max_sge", Integer.toString(attributes.maxSge()));
        map.put("max_rd_atom", Integer.toString(attributes.maxQpRdAtom()));
        map.put("max_init_rd_atom", Integer.toString(attributes.maxQpInitRdAtom()));
        map.put("max_mr", Integer.toString(attributes.maxMr()));
        map.put("max_mr_size", Long.toUnsignedString(attributes.maxMrSize()));
        map.put("max_mw", Integer.toString(attributes.maxMw()));
        map.put("registration", device.registration().text());
        map.put("registration_reason", device.reason());
        map.put("remote_invalidation", device.remoteInvalidation() ? "on" : "off");
        String transport = attributes.iwarp() ? "iwarp" : ethernet ? "roce" : "infiniband";
        return new RdmaDevice(device.name(), transport, active, Collections.unmodifiableMap(map));
    }
}
