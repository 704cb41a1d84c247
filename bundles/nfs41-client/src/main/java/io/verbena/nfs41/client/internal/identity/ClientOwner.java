package io.verbena.nfs41.client.internal.identity;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.nfs41.Opaque;
import io.verbena.rpc.Credential;
import io.verbena.runtime.Runtime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client owner of one mount: {@code co_ownerid}. It is the same each time that the mount is made, also by a later
 * process. With a new verifier it tells the server that the client has restarted, so that the server drops the state of
 * the dead client at once (RFC 8881 sections 2.4 and 18.35.4, case 5). Its form is {@code
 * verbena/HOST/SLOT/MOUNT/USER/ORDINAL}: see docs/decisions/0020-client-owner.md. Thread safe.
 */
public final class ClientOwner implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ClientOwner.class);
    private static final Pattern STABLE = Pattern.compile("verbena/[0-9a-f]{32}/([0-9]{1,4})/.*", Pattern.DOTALL);
    private static final int MAX_NAME = 200;
    private static final AtomicLong INSTANCES = new AtomicLong();

    /** The ordinals in use, by owner without ordinal. */
    @GuardedBy("itself")
    private static final Map<String, BitSet> ORDINALS = new HashMap<>();

    private final Opaque id;

    @GuardedBy("this")
    private Runnable release;

    private ClientOwner(Opaque id, Runnable release) {
        this.id = id;
        this.release = release;
    }

    /**
     * Takes the owner of a mount. No other mount of any process on this host has it until it is closed. Where the state
     * directory cannot be used, the owner is random.
     *
     * @param credential the credential of the mount's calls: a server refuses one owner with two users
     * @param predecessor the owner of the mount whose place this one takes in the same process
     */
    public static ClientOwner take(
            String mountName, Credential credential, Optional<Opaque> predecessor, Runtime runtime) {
        return take(StateDirectory.find(), mountName, credential, predecessor, runtime);
    }

    static ClientOwner take(
            Path stateDirectory,
            String mountName,
            Credential credential,
            Optional<Opaque> predecessor,
            Runtime runtime) {
        OptionalInt slotBefore = predecessor.map(ClientOwner::slotOf).orElse(OptionalInt.empty());
        if (predecessor.isPresent() && slotBefore.isEmpty()) {
            return new ClientOwner(predecessor.get(), () -> {});
        }
        try {
            ProcessNumber slot = ProcessNumber.take(stateDirectory, slotBefore, runtime.random());
            String owner = "verbena/" + slot.host() + "/" + slot.number() + "/" + bounded(mountName) + "/"
                    + user(credential) + "/";
            int ordinal = takeOrdinal(owner);
            return new ClientOwner(Opaque.of(owner + ordinal), () -> {
                giveOrdinal(owner, ordinal);
                slot.close();
            });
        } catch (IOException | RuntimeException e) {
            LOG.warn(
                    "mount {}: it has another name with its server each time, since the state directory {} cannot be"
                            + " used ({}): after this process was killed, the next one waits for what it held until the"
                            + " lease ends; the system property {} names another directory",
                    mountName,
                    stateDirectory,
                    e.toString(),
                    StateDirectory.PROPERTY);
            return new ClientOwner(random(mountName, runtime), () -> {});
        }
    }

    /** A random owner, which no other mount has. */
    public static Opaque random(String mountName, Runtime runtime) {
        long pid = ProcessHandle.current().pid();
        long unique = runtime.random().nextLong();
        return Opaque.of("verbena-once/" + bounded(mountName) + "/" + pid + "/"
                + runtime.now().toEpochMilli() + "/" + INSTANCES.incrementAndGet() + "/" + Long.toHexString(unique));
    }

    /** The octets of {@code co_ownerid}. */
    public Opaque id() {
        return id;
    }

    /** Releases the owner for other mounts. */
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

    /** The name within a length that keeps the whole owner below 1024 octets (NFS4_OPAQUE_LIMIT). */
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
