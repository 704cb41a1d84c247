package io.verbena.verbs.natives.internal.device;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.verbs.RdmaDevice;
import io.verbena.verbs.RdmaException;
import io.verbena.verbs.RdmaException.Kind;
import io.verbena.verbs.natives.internal.Log;
import io.verbena.verbs.natives.internal.library.DeviceAttributes;
import io.verbena.verbs.natives.internal.library.Ibverbs;
import io.verbena.verbs.natives.internal.library.LayoutCheck;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.NativeUnavailableException;
import io.verbena.verbs.natives.internal.library.PortAttributes;
import io.verbena.verbs.natives.internal.settings.NativeConfiguration;
import io.verbena.verbs.natives.internal.settings.NativeSettings;
import io.verbena.verbs.natives.internal.struct.NativeConstants;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The devices of this host. What never changes of a device is queried once. Any thread. */
public final class Devices {
    private final NativeLibraries libraries;
    private final DeviceAddresses addresses;
    private final Check check;
    /** By context. A context stays open as long as the provider runs, so its address is never another device's. */
    private final Map<Long, Device> known = new ConcurrentHashMap<>();

    @GuardedBy("this")
    private final List<ReservedOffset> reserved = new ArrayList<>();

    /** The reasons for which devices are not used, by context. */
    private final Map<Long, String> refused = new ConcurrentHashMap<>();

    /** Checks a device before it is used. */
    interface Check {
        void check(long context) throws NativeUnavailableException;
    }

    public Devices(NativeLibraries libraries) {
        this(
                libraries,
                DeviceAddresses.OF_THIS_HOST,
                new LayoutCheck(libraries.verbs(), libraries.cm(), LayoutCheck.Reader.OF_THIS_PROCESS)::check);
    }

    Devices(NativeLibraries libraries, DeviceAddresses addresses, Check check) {
        this.check = check;
        this.libraries = libraries;
        this.addresses = addresses;
    }

    /**
     * The device of a context.
     *
     * @throws RdmaException UNREACHABLE if it cannot be used
     */
    public Device of(long context) throws NativeException, RdmaException {
        Device device = known.get(context);
        if (device != null) {
            return device;
        }
        if (!refused.containsKey(context)) {
            // a context in the list stays open, even where its device is removed
            boolean listed = Arrays.stream(libraries.cm().devices()).anyMatch(other -> other == context);
            if (!listed) {
                throw new RdmaException(Kind.UNREACHABLE, "the device is gone, or rdma_cm_id.verbs is not known");
            }
        }
        return examine(context);
    }

    /**
     * The device of a context, if users may use it.
     *
     * @throws RdmaException UNREACHABLE if it cannot be used, or the configuration leaves it out
     */
    public Device usable(long context, NativeSettings settings) throws NativeException, RdmaException {
        Device device = of(context);
        if (!settings.mayUse(device.name())) {
            throw new RdmaException(
                    Kind.UNREACHABLE,
                    "the route there uses device " + device.name() + ", which the configuration "
                            + NativeConfiguration.PID + " leaves out: add it to the key devices, or use another route");
        }
        return device;
    }

    /** The device of a context that is in the list. */
    private Device examine(long context) throws NativeException, RdmaException {
        Device device = known.get(context);
        return device == null ? add(context) : device;
    }

    private synchronized Device add(long context) throws NativeException, RdmaException {
        requireUsable(context);
        Device device = known.get(context);
        if (device == null) {
            device = describe(context);
            if (device.misreadsMmapOffset()) {
                reserved.add(ReservedOffset.of(libraries.verbs(), context));
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

    /** Frees the resources of devices; called last. */
    public synchronized void close() {
        reserved.forEach(ReservedOffset::release);
        reserved.clear();
    }

    private Device describe(long context) throws NativeException {
        Ibverbs verbs = libraries.verbs();
        DeviceAttributes attributes = verbs.queryDevice(context);
        String missing = missingForWindows(context, attributes);
        return new Device(
                context,
                verbs.deviceName(context),
                attributes,
                missing == null ? RegistrationMethod.WINDOW : RegistrationMethod.REGION,
                missing == null ? "the device has type-2 memory windows and Send with Invalidate" : missing);
    }

    /** Why windows cannot be used; null where they can. */
    private String missingForWindows(long context, DeviceAttributes attributes) {
        if (attributes.iwarp()) {
            return "iWARP devices have no memory windows for user space";
        }
        if ((attributes.capabilities()
                        & (NativeConstants.IBV_DEVICE_MEM_WINDOW_TYPE_2A
                                | NativeConstants.IBV_DEVICE_MEM_WINDOW_TYPE_2B))
                == 0) {
            return "the device has no type-2 memory windows";
        }
        if ((attributes.capabilities() & NativeConstants.IBV_DEVICE_MEM_MGT_EXTENSIONS) == 0) {
            return "the device has no memory management extensions";
        }
        try {
            long pd = libraries.verbs().allocPd(context);
            try {
                libraries.verbs().deallocMw(libraries.verbs().allocMw(pd));
            } finally {
                libraries.verbs().deallocPd(pd);
            }
            return null;
        } catch (NativeException e) {
            return "the device claims type-2 memory windows, but " + e.getMessage();
        }
    }

    /** Warns of names in the configuration that no present device has; such a device may be added later. */
    public void warnOfUnknown(NativeSettings settings) {
        if (settings.devices().isEmpty()) {
            return;
        }
        try {
            List<String> there = Arrays.stream(libraries.cm().devices())
                    .mapToObj(libraries.verbs()::deviceName)
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

    /** All devices that may be used, with their present attributes. */
    public List<RdmaDevice> list(NativeSettings settings) {
        List<RdmaDevice> list = new ArrayList<>();
        try {
            for (long context : libraries.cm().devices()) {
                add(context, settings, list);
            }
        } catch (NativeException e) {
            Log.LOGGER.warn("listing the devices failed", e);
        }
        return list;
    }

    /** Whether a device that may be used has that address of this host. */
    public boolean have(InetAddress address, NativeSettings settings) {
        return list(settings).stream()
                .map(device -> device.attributes().getOrDefault(RdmaDevice.ADDRESSES, ""))
                .anyMatch(addresses -> List.of(addresses.split(", ")).contains(address.getHostAddress()));
    }

    /** Adds a device to the list. A device that is removed meanwhile is left out; the others stay. */
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
            PortAttributes p = libraries.verbs().queryPort(device.context(), port);
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
