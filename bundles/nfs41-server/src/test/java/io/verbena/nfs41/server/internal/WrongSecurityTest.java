package io.verbena.nfs41.server.internal;

import static io.verbena.nfs41.server.internal.TestClient.attributes;
import static io.verbena.nfs41.server.internal.TestClient.fh;
import static io.verbena.nfs41.server.internal.TestClient.getFh;
import static io.verbena.nfs41.server.internal.TestClient.look;
import static io.verbena.nfs41.server.internal.TestClient.root;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nfs41.Access;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.AttributeMask;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.Close;
import io.verbena.nfs41.Commit;
import io.verbena.nfs41.Create;
import io.verbena.nfs41.DelegReturn;
import io.verbena.nfs41.Link;
import io.verbena.nfs41.Lock;
import io.verbena.nfs41.LockT;
import io.verbena.nfs41.LockType;
import io.verbena.nfs41.LockU;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.NVerify;
import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.OpenDowngrade;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.PutPubFh;
import io.verbena.nfs41.Read;
import io.verbena.nfs41.ReadDir;
import io.verbena.nfs41.ReadLink;
import io.verbena.nfs41.Remove;
import io.verbena.nfs41.Rename;
import io.verbena.nfs41.RestoreFh;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SecInfo;
import io.verbena.nfs41.SecInfoNoName;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.SetAttr;
import io.verbena.nfs41.StableHow;
import io.verbena.nfs41.StateId;
import io.verbena.nfs41.StateOwner;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.Verify;
import io.verbena.nfs41.Write;
import io.verbena.nfs41.server.internal.TestClient.Op;
import io.verbena.nfs41.server.internal.TestClient.Opened;
import io.verbena.nfs41.server.internal.TestClient.Reply;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.security.ExportSecurity;
import io.verbena.nfs41.server.internal.security.SecurityKind;
import io.verbena.rpc.Credential;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An export that wants krb5i or krb5p, and callers who have neither (RFC 8881 section 2.6.3.1.1). */
class WrongSecurityTest extends SecurityFixture {
    private TestClient right;
    private Opened file;

    @BeforeEach
    void openFile() throws Exception {
        Files.writeString(directory.resolve("file"), "secret");
        Files.createDirectory(directory.resolve("folder"));
        Files.createSymbolicLink(directory.resolve("link"), Path.of("target"));
        right = connected("right", ROOT, INTEGRITY);
        file = right.opened("file", Open.SHARE_ACCESS_BOTH, 0, new OpenHow.NoCreate());
    }

    private TestClient wrong() {
        return right.as(0, 0);
    }

    /** Everything that reads or changes the current object. */
    private Map<String, Op> operations() {
        StateId state = file.stateId();
        StateOwner owner = new StateOwner(right.clientId(), Opaque.of("right"));
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0777).build();
        Map<String, Op> all = new LinkedHashMap<>();
        all.put("ACCESS", out -> Access.encodeArgs(out, new Access.Args(Access.READ)));
        all.put("CLOSE", out -> Close.encodeArgs(out, new Close.Args(0, state)));
        all.put("COMMIT", out -> Commit.encodeArgs(out, new Commit.Args(0, 0)));
        all.put("CREATE", out -> Create.encodeArgs(out, Create.directory("new", mode)));
        all.put("DELEGRETURN", out -> DelegReturn.encodeArgs(out, new DelegReturn.Args(state)));
        all.put("GETATTR", attributes(Attribute.SIZE));
        all.put("GETFH", getFh());
        all.put("LINK", out -> Link.encodeArgs(out, new Link.Args("new")));
        all.put(
                "LOCK",
                out -> Lock.encodeArgs(
                        out, new Lock.Args(LockType.WRITE_LT, false, 0, 1, new Lock.NewLockOwner(0, state, 0, owner))));
        all.put("LOCKT", out -> LockT.encodeArgs(out, new LockT.Args(LockType.WRITE_LT, 0, 1, owner)));
        all.put("LOCKU", out -> LockU.encodeArgs(out, new LockU.Args(LockType.WRITE_LT, 0, state, 0, 1)));
        all.put("NVERIFY", out -> NVerify.encodeArgs(out, new NVerify.Args(mode)));
        all.put("OPEN by handle", openByHandle());
        all.put(
                "OPEN_DOWNGRADE",
                out -> OpenDowngrade.encodeArgs(out, new OpenDowngrade.Args(state, 0, Open.SHARE_ACCESS_READ, 0)));
        all.put("READ", out -> Read.encodeArgs(out, new Read.Args(state, 0, 100)));
        all.put("READDIR", out -> ReadDir.encodeArgs(out, new ReadDir.Args(0, 0, 1000, 1000, AttributeMask.EMPTY)));
        all.put("READLINK", ReadLink::encodeArgs);
        all.put("REMOVE", out -> Remove.encodeArgs(out, new Remove.Args("file")));
        all.put("RENAME", out -> Rename.encodeArgs(out, new Rename.Args("file", "new")));
        all.put("SETATTR", out -> SetAttr.encodeArgs(out, new SetAttr.Args(StateId.ANONYMOUS, mode)));
        all.put("VERIFY", out -> Verify.encodeArgs(out, new Verify.Args(mode)));
        all.put(
                "WRITE",
                out -> Write.encodeArgs(
                        out, new Write.Args(state, 0, StableHow.FILE_SYNC4, ByteBuffer.wrap(new byte[3]))));
        return all;
    }

    private Op openByHandle() {
        return out -> Open.encodeArgs(
                out,
                new Open.Args(
                        0,
                        Open.SHARE_ACCESS_READ,
                        0,
                        new StateOwner(right.clientId(), Opaque.of("right")),
                        new OpenHow.NoCreate(),
                        new OpenClaim.ByHandle()));
    }

    /** What tells the kind of security itself, and whose name the result has. */
    private Map<String, Op> byName() {
        Map<String, Op> all = new LinkedHashMap<>();
        all.put("LOOKUP", look("file"));
        all.put("LOOKUPP", LookupP::encodeArgs);
        all.put("OPEN", right.open("file", Open.SHARE_ACCESS_READ, 0, new OpenHow.NoCreate()));
        all.put("OPEN that creates", right.open("new", Open.SHARE_ACCESS_WRITE, 0, TestClient.unchecked(0644)));
        return all;
    }

    @Test
    void shouldLetNothingThroughWithAKindThatIsNotAllowed() throws Exception {
        Map<String, Op> puts = new LinkedHashMap<>();
        puts.put("PUTROOTFH", root());
        puts.put("PUTPUBFH", PutPubFh::encodeArgs);
        puts.put("PUTFH", fh(file.handle()));
        Map<String, Op> all = operations();
        all.putAll(byName());
        for (int service : List.of(0, NONE)) {
            for (Map.Entry<String, Op> put : puts.entrySet()) {
                for (Map.Entry<String, Op> each : all.entrySet()) {
                    String what = put.getKey() + ", " + each.getKey() + " with service " + service;
                    assertThat(caller(service)
                                    .inSession(put.getValue(), each.getValue())
                                    .status())
                            .as(what)
                            .isEqualTo(Status.NFS4ERR_WRONGSEC);
                    assertThat(caller(service)
                                    .inSession(root(), SaveFh::encodeArgs, put.getValue(), each.getValue())
                                    .status())
                            .as("a saved handle, " + what)
                            .isEqualTo(Status.NFS4ERR_WRONGSEC);
                    assertThat(caller(service)
                                    .inSession(
                                            put.getValue(), SaveFh::encodeArgs, RestoreFh::encodeArgs, each.getValue())
                                    .status())
                            .as("a restored handle, " + what)
                            .isEqualTo(Status.NFS4ERR_WRONGSEC);
                }
            }
        }
        requireUnharmed();
    }

    /** With AUTH_SYS, or with a proof that protects less than is wanted. */
    private TestClient caller(int service) {
        return service == 0 ? wrong() : right.proved(ROOT, service);
    }

    private void requireUnharmed() throws Exception {
        try (Stream<Path> names = Files.list(directory)) {
            assertThat(names.map(each -> each.getFileName().toString()))
                    .containsExactlyInAnyOrder("file", "folder", "link");
        }
        assertThat(directory.resolve("file")).hasContent("secret");
        right.proved(ROOT, PRIVACY);
        assertThat(right.read(file, 0, 100)).isEqualTo("secret");
        assertThat(right.close(file)).isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldTellTheKindWhereTheOperationBehindDoesNot() throws Exception {
        for (Map.Entry<String, Op> each : operations().entrySet()) {
            wrong().inSession(root(), each.getValue()).expect(Opcode.PUTROOTFH, Status.NFS4ERR_WRONGSEC);
            wrong().inSession(root(), SaveFh::encodeArgs, each.getValue())
                    .expect(Opcode.PUTROOTFH, Status.NFS4ERR_WRONGSEC);
        }
        wrong().inSession(root(), look("file")).ok(Opcode.PUTROOTFH).expect(Opcode.LOOKUP, Status.NFS4ERR_WRONGSEC);
        wrong().inSession(fh(file.handle()), LookupP::encodeArgs)
                .ok(Opcode.PUTFH)
                .expect(Opcode.LOOKUPP, Status.NFS4ERR_WRONGSEC);
        wrong().inSession(root(), byName().get("OPEN"))
                .ok(Opcode.PUTROOTFH)
                .expect(Opcode.OPEN, Status.NFS4ERR_WRONGSEC);
        wrong().inSession(root(), root(), root(), getFh())
                .ok(Opcode.PUTROOTFH, Opcode.PUTROOTFH)
                .expect(Opcode.PUTROOTFH, Status.NFS4ERR_WRONGSEC);
        wrong().inSession(root(), SaveFh::encodeArgs, RestoreFh::encodeArgs, getFh())
                .ok(Opcode.PUTROOTFH, Opcode.SAVEFH)
                .expect(Opcode.RESTOREFH, Status.NFS4ERR_WRONGSEC);
    }

    @Test
    void shouldTakeAHandleWithNothingBehindIt() throws Exception {
        assertThat(wrong().inSession(root()).status()).isEqualTo(Status.NFS4_OK);
        assertThat(wrong().inSession(fh(file.handle())).status()).isEqualTo(Status.NFS4_OK);
        assertThat(wrong().inSession(root(), SaveFh::encodeArgs, RestoreFh::encodeArgs)
                        .status())
                .isEqualTo(Status.NFS4_OK);
    }

    @Test
    void shouldTellTheKindsToEverybodyAndNamesToNobodyElse() throws Exception {
        for (String name : List.of("file", "none")) {
            Reply reply = wrong().inSession(root(), out -> SecInfo.encodeArgs(out, new SecInfo.Args(name)));
            reply.ok(Opcode.PUTROOTFH, Opcode.SECINFO);
            requireKinds(SecInfo.decodeResult(reply.in).flavors());
        }
        for (SecInfoNoName.Style style : SecInfoNoName.Style.values()) {
            Reply reply =
                    wrong().inSession(root(), out -> SecInfoNoName.encodeArgs(out, new SecInfoNoName.Args(style)));
            reply.ok(Opcode.PUTROOTFH, Opcode.SECINFO_NO_NAME);
            requireKinds(SecInfoNoName.decodeResult(reply.in).flavors());
        }
        right.proved(ROOT, INTEGRITY)
                .inSession(root(), out -> SecInfo.encodeArgs(out, new SecInfo.Args("none")))
                .ok(Opcode.PUTROOTFH)
                .expect(Opcode.SECINFO, Status.NFS4ERR_NOENT);
        assertThat(wrong().inSession(out -> SecInfo.encodeArgs(out, new SecInfo.Args("file")))
                        .status())
                .isEqualTo(Status.NFS4ERR_NOFILEHANDLE);
        wrong().inSession(root(), out -> SecInfo.encodeArgs(out, new SecInfo.Args("file")), getFh())
                .ok(Opcode.PUTROOTFH, Opcode.SECINFO);
    }

    private static void requireKinds(List<SecurityFlavor> flavors) {
        byte[] kerberos = {0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x12, 1, 2, 2};
        assertThat(flavors).hasSize(2).allMatch(each -> each.flavor() == SecurityFlavor.RPCSEC_GSS);
        assertThat(flavors.stream().map(each -> each.gss().orElseThrow()))
                .containsExactly(
                        new SecurityFlavor.GssInfo(Opaque.of(kerberos), 0, PRIVACY),
                        new SecurityFlavor.GssInfo(Opaque.of(kerberos), 0, INTEGRITY));
    }

    @Test
    void shouldListTheKindsInTheOrderOfTheConfiguration() throws Exception {
        ExportSettings both =
                settings().withSecurity(ExportSecurity.of(SecurityKind.SYS, SecurityKind.KRB5, SecurityKind.KRB5P));
        restart(both);
        TestClient any = TestClient.connected(server, "any");
        Reply reply = any.inSession(
                root(), out -> SecInfoNoName.encodeArgs(out, new SecInfoNoName.Args(SecInfoNoName.Style.CURRENT_FH)));
        reply.ok(Opcode.PUTROOTFH, Opcode.SECINFO_NO_NAME);
        assertThat(SecInfoNoName.decodeResult(reply.in).flavors().stream()
                        .map(each -> each.flavor() * 10
                                + each.gss()
                                        .map(SecurityFlavor.GssInfo::service)
                                        .orElse(0)))
                .containsExactly(10, 0, 61, 63);
    }

    @Test
    void shouldRefuseProofsWhereAnExportIsWithoutKerberos() throws Exception {
        restart(settings().withSecurity(ExportSecurity.SYS));
        FakeRequest request = FakeRequest.compound(new Credential.Proved(6, ROOT, PRIVACY), new XdrWriter());
        server.handle(request);
        assertThat(request.outcome()).isEqualTo("AUTH_REJECTEDCRED");
    }
}
