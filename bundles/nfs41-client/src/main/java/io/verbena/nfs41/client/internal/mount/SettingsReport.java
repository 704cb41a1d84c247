package io.verbena.nfs41.client.internal.mount;

import io.verbena.nfs.MountOption;
import io.verbena.nfs41.ChannelAttributes;
import io.verbena.nfs41.ExchangeId;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.client.internal.compound.MovedException;
import io.verbena.nfs41.client.internal.link.LinkConnection;
import io.verbena.nfs41.client.internal.session.Session;
import io.verbena.nfs41.client.internal.util.MountSettings;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The settings of a mount, given and negotiated, in the order in which users see them. */
final class SettingsReport {
    private final MountSettings settings;
    private final MountAssembly assembly;

    SettingsReport(MountSettings settings, MountAssembly assembly) {
        this.settings = settings;
        this.assembly = assembly;
    }

    Map<String, String> all() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("source", settings.source());
        String host = assembly.link().server();
        List<String> export = assembly.root().export();
        if (!host.equals(settings.server()) || !export.equals(settings.export())) {
            all.put("movedTo", MovedException.shown(host, export));
        }
        for (MountOption option : MountOption.values()) {
            all.put(option.key(), settings.options().get(option));
        }
        all.put(MountOption.SEC.key(), assembly.link().security().kind().word());
        if (!settings.options().given().containsKey(MountOption.POLL)) {
            all.remove(MountOption.POLL.key()); // the provider's own
        }
        all.put("rsize", String.valueOf(assembly.root().rsize()));
        all.put("wsize", String.valueOf(assembly.root().wsize()));
        assembly.caller()
                .transferLimit()
                .shown()
                .ifPresent(most -> all.put(
                        "transferLimit",
                        most + " octets of a READ or WRITE: the connection was lost with each larger one"));
        Session session = assembly.sessions().present();
        if (session != null) {
            ChannelAttributes limits = session.limits();
            all.put("session", session.name());
            all.put("slots", String.valueOf(session.slots().limit()));
            all.put("maxRequestSize", Integer.toUnsignedString(limits.maxRequestSize()));
            all.put("maxResponseSize", Integer.toUnsignedString(limits.maxResponseSize()));
            all.put("maxOperations", Integer.toUnsignedString(limits.maxOperations()));
            all.put("lease", assembly.root().leaseSeconds() + " s");
            ExchangeId.Result server = assembly.sessions().client();
            all.put("serverOwner", text(server.serverMajorId()));
            all.put("serverScope", text(server.serverScope()));
            server.implementation().ifPresent(id -> all.put("serverSoftware", id.name() + " (" + id.domain() + ")"));
        }
        all.putAll(assembly.link().provider());
        LinkConnection connection = assembly.link().current();
        if (connection != null) {
            Map<String, String> present = connection.settings();
            if (!present.containsKey(MountOption.CRC.key())) {
                all.remove(MountOption.CRC.key()); // the option means nothing to what carries it
            }
            all.putAll(present);
            all.remove("label"); // the mount's own name
        }
        if (settings.connections() > 1) {
            int up = assembly.link().extras().size() + (connection == null ? 0 : 1);
            all.put("connections", up + " of " + settings.connections());
        }
        assembly.swaps().report(all);
        all.put("delegated", String.valueOf(assembly.delegations().size()));
        all.put("openFiles", String.valueOf(assembly.opens().size()));
        return all;
    }

    /** Text where it is printable, else hexadecimal. */
    private static String text(Opaque opaque) {
        String text = new String(opaque.toByteArray(), StandardCharsets.UTF_8);
        return text.chars().allMatch(c -> c >= 0x20 && c < 0x7f) ? text : opaque.toString();
    }
}
