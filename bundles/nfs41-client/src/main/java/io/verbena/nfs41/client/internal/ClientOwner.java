package io.verbena.nfs41.client.internal;

import io.verbena.nfs41.Opaque;
import io.verbena.rpc.Credential;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client owner of one mount: {@code co_ownerid}, which is the same each time that the mount is made again, also by
 * another process after this one has died. With another verifier it tells the server that the client has restarted, so
 * that the server drops at once what the dead one held (RFC 8881 sections 2.4 and 18.35.4, case 5). It reads
 * {@code verbena/HOST/SLOT/MOUNT/USER/ORDINAL}: see docs/decisions/0020-client-owner.md. Thread safe.
 */
final class ClientOwner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientOwner.class);
    private static final Pattern STABLE = Pattern.compile("verbena/[0-9a-f]{32}/([0-9]{1,4})/.*", Pattern.DOTALL);
    private static final int MAX_NAME = 200;
    private static final AtomicLong INSTANCES = new AtomicLong();

    /** The ordinals in use of each owner without its ordinal; guarded by itself. */
    private static final Map<String, BitSet> ORDINALS = new HashMap<>();

    private final Opaque id;
    private Runnable release;

    private ClientOwner(Opaque id, Runnable release) {
        this.id = id;
        this.release = release;
    }

    /**
     * Takes the owner of a mount, which no other mount of any process on this host has until it is closed. Where the state
     * directory cannot be used, the owner is a random one.
     *
     * @param credential whom the mount's calls are made as: a server takes no owner from two users
     * @param predecessor the owner of the mount whose place this one takes in the same process
     */
    static ClientOwner take(String mountName, Credential credential, Optional<Opaque> predecessor) {
        return take(StateDirectory.find(), mountName, credential, predecessor);
    }

    static ClientOwner take(
            Path stateDirectory, String mountName, Credential credential, Optional<Opaque> predecessor) {
        OptionalInt slotBefore = predecessor.map(ClientOwner::slotOf).orElse(OptionalInt.empty());
        if (predecessor.isPresent() && slotBefore.isEmpty()) {
            return new ClientOwner(predecessor.get(), () -> {});
        }
        try {
            ProcessSlot slot = ProcessSlot.take(stateDirectory, slotBefore);
            String owner = "verbena/" + slot.host() + "/" + slot.number() + "/" + bounded(mountName) + "/"
                    + user(credential) + "/";
            int ordinal = takeOrdinal(owner);
            return new ClientOwner(Opaque.of(owner + ordinal), () -> {
                giveOrdinal(owner, ordinal);
                slot.close();
            });
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "mount {}: it has another name with its server each time, since the state directory {} cannot be used"
                            + " ({}): after this process was killed, the next one waits for what it held until the"
                            + " lease ends; set the system property {} to a directory that can be written",
                    mountName,
                    stateDirectory,
                    e.toString(),
                    StateDirectory.PROPERTY);
            return new ClientOwner(random(mountName), () -> {});
        }
    }

    /** An owner that no other mount has, nor will have: of this process, this moment and this mount. */
    static Opaque random(String mountName) {
        long pid = ProcessHandle.current().pid();
        long unique = ThreadLocalRandom.current().nextLong();
        return Opaque.of("verbena-once/" + bounded(mountName) + "/" + pid + "/" + System.currentTimeMillis() + "/"
                + INSTANCES.incrementAndGet() + "/" + Long.toHexString(unique));
    }

    /** As the server gets it. */
    Opaque id() {
        return id;
    }

    /** Another mount may have it from now on. */
    @Override
    public void close() {
        Runnable once;
        synchronized (this) {
            once = release;
            release = () -> {};
        }
        once.run();
    }

    private static OptionalInt slotOf(Opaque owner) {
        Matcher matcher = STABLE.matcher(new String(owner.toByteArray(), StandardCharsets.UTF_8));
        return matcher.matches() ? OptionalInt.of(Integer.parseInt(matcher.group(1))) : OptionalInt.empty();
    }

    /** A server takes 1024 octets for all of the owner. */
    private static String bounded(String mountName) {
        return mountName.length() <= MAX_NAME ? mountName : HostIdentity.hash(mountName);
    }

    private static String user(Credential credential) {
        return credential instanceof Credential.Sys sys
                ? Integer.toUnsignedString(sys.uid()) + "-"
                        + HostIdentity.hash(sys.machineName() + " " + sys.gid() + " " + sys.groups())
                                .substring(0, 8)
                : "nobody";
    }

    private static int takeOrdinal(String owner) {
        synchronized (ORDINALS) {
            BitSet used = ORDINALS.computeIfAbsent(owner, key -> new BitSet());
            int ordinal = used.nextClearBit(0);
            used.set(ordinal);
            return ordinal;
        }
    }

    private static void giveOrdinal(String owner, int ordinal) {
        synchronized (ORDINALS) {
            ORDINALS.computeIfPresent(owner, (key, used) -> {
                used.clear(ordinal);
                return used.isEmpty() ? null : used;
            });
        }
    }
}
