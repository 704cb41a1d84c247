package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.DelegReturn;
import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;

/** Two clients that can be called back, and a file of ten octets that nobody has open. */
abstract class DelegationFixture extends ServerFixture {
    static final OpenHow EXISTING = new OpenHow.NoCreate();
    static final int READ = Open.SHARE_ACCESS_READ;
    static final int WRITE = Open.SHARE_ACCESS_WRITE;
    static final int BOTH = Open.SHARE_ACCESS_BOTH;

    TestClient holder;
    TestClient other;

    @BeforeEach
    void fileAndClients() throws Exception {
        Files.writeString(directory.resolve("file"), "0123456789");
        Files.writeString(directory.resolve("another"), "abc");
        holder = TestClient.callable(server, "holder");
        other = TestClient.callable(server, "other");
    }

    /** What an OPEN has brought. */
    record Granted(Opened open, OpenDelegation delegation) {
        FileHandle handle() {
            return open.handle();
        }

        StateId delegated() {
            if (delegation instanceof OpenDelegation.ForReading read) {
                return read.stateId();
            }
            assertThat(delegation).isInstanceOf(OpenDelegation.ForWriting.class);
            return ((OpenDelegation.ForWriting) delegation).stateId();
        }

        /** The delegation, to read and write by. */
        Opened byDelegation() {
            return new Opened(delegated(), handle());
        }
    }

    static Granted open(TestClient by, String name, int access) throws Exception {
        return open(by, by.open(name, access, 0, EXISTING));
    }

    static Granted open(TestClient by, Op open) throws Exception {
        Reply reply = by.inSession(root(), open, getFh());
        reply.ok(Opcode.PUTROOTFH, Opcode.OPEN);
        return granted(reply);
    }

    static Granted openByHandle(TestClient by, FileHandle handle, int access, OpenClaim claim) throws Exception {
        Reply reply = by.inSession(fh(handle), claim(by, access, claim), getFh());
        reply.ok(Opcode.PUTFH, Opcode.OPEN);
        return granted(reply);
    }

    private static Granted granted(Reply reply) throws Exception {
        Open.Result result = Open.decodeResult(reply.in);
        reply.ok(Opcode.GETFH);
        return new Granted(
                new Opened(result.stateId(), GetFh.decodeResult(reply.in).object()), result.delegation());
    }

    static Op claim(TestClient by, int access, OpenClaim claim) {
        return out -> Open.encodeArgs(
                out, new Open.Args(0, access, 0, new StateOwner(by.clientId(), Opaque.of("owner")), EXISTING, claim));
    }

    static Status statusOfClaim(TestClient by, FileHandle handle, int access, OpenClaim claim) throws Exception {
        return by.inSession(fh(handle), claim(by, access, claim)).status();
    }

    static Status giveBack(TestClient by, Granted granted) throws Exception {
        StateId delegated = granted.delegated();
        return by.inSession(fh(granted.handle()), out -> DelegReturn.encodeArgs(out, new DelegReturn.Args(delegated)))
                .status();
    }

    void pass(Duration time) {
        clock.addAndGet(time.toNanos());
    }

    /** Time passes in which all clients speak. */
    void passAlive(Duration time, TestClient... clients) throws Exception {
        for (Duration passed = Duration.ZERO; passed.compareTo(time) < 0; passed = passed.plusSeconds(30)) {
            pass(Duration.ofSeconds(30));
            for (TestClient each : clients) {
                assertThat(each.inSession(root()).status()).isEqualTo(Status.NFS4_OK);
            }
        }
    }
}
