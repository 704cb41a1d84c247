package io.verbena.nfs41.client.internal.session;

import io.verbena.nfs.NfsException;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.client.internal.security.MountSecurity;
import io.verbena.nfs41.client.internal.util.MountSettings;
import io.verbena.nfs41.client.internal.util.SecurityKind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The choice of security where the option {@code sec} leaves it to the server: the first of what the server takes that
 * this end can do (RFC 8881 section 2.6.3.1), and never less than before. Used by one recovery attempt at a time;
 * blocks.
 */
final class SecurityNegotiation {
    private static final Logger LOG = LoggerFactory.getLogger(SecurityNegotiation.class);

    private final MountSettings settings;
    private final MountSecurity security;

    SecurityNegotiation(MountSettings settings, MountSecurity security) {
        this.settings = settings;
        this.security = security;
    }

    /**
     * What to use from now on.
     *
     * @throws IOException where nothing else can be used; the message is for users
     */
    SecurityKind choose(WrongSecurityException answer) throws IOException {
        SecurityKind before = security.kind();
        List<String> impossible = new ArrayList<>();
        if (settings.security().isEmpty()) {
            for (SecurityFlavor offered : answer.offered()) {
                SecurityKind kind = SecurityKind.of(offered).orElse(null);
                if (kind == null || kind == before) {
                    continue;
                }
                if (kind.isWeakerThan(before)) { // whoever can change what the server answers could ask for it
                    impossible.add(kind.word() + ": it is less than the mount has had");
                    continue;
                }
                try {
                    security.require(kind);
                    LOG.info(
                            "mount {}: the server wants sec={} in place of {}",
                            settings.name(),
                            kind.word(),
                            before.word());
                    return kind;
                } catch (IOException e) {
                    impossible.add(kind.word() + ": " + e.getMessage());
                }
            }
        }
        List<String> names = answer.offered().stream()
                .map(offered -> SecurityKind.of(offered).map(SecurityKind::word).orElse("flavor " + offered.flavor()))
                .distinct()
                .toList();
        throw new NfsException(
                settings.source(),
                Status.NFS4ERR_WRONGSEC.name(),
                "the server does not take security 'sec=" + before.word() + "' here: it takes "
                        + (names.isEmpty() ? "none that it tells" : String.join(", ", names))
                        + (impossible.isEmpty() ? "" : " (" + String.join("; ", impossible) + ")"));
    }
}
