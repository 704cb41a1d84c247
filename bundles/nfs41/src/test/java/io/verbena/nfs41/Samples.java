package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** One sample or more of the arguments and results of every operation, with their codecs. */
final class Samples {
    private static final StateId STATE = new StateId(7, 0x0102030405060708L, 0x090a0b0c);
    private static final ChangeInfo CHANGE = new ChangeInfo(true, 11, 12);
    private static final StateOwner OWNER = new StateOwner(0x1122334455667788L, Opaque.of("owner"));
    private static final LockDenied DENIED = new LockDenied(5, -1, LockType.WRITE_LT, OWNER);
    private static final AccessControlEntry ACE = new AccessControlEntry(0, 1, 2, "OWNER@");
    private static final AttributeMask MASK =
            AttributeMask.of(Attribute.TYPE, Attribute.OWNER, Attribute.SUPPATTR_EXCLCREAT);
    private static final ChannelAttributes CHANNEL =
            new ChannelAttributes(0, 1 << 20, 1 << 21, 4096, 16, 64, Optional.of(9));
    private static final SessionId SESSION = new SessionId(1, 2);
    private static final ImplementationId SOFTWARE =
            new ImplementationId("example.org", "sample", new NfsTime(-1, 999_999_999));
    private static final List<SecurityFlavor> FLAVORS = List.of(
            SecurityFlavor.of(SecurityFlavor.AUTH_SYS),
            new SecurityFlavor(
                    SecurityFlavor.RPCSEC_GSS, Optional.of(new SecurityFlavor.GssInfo(Opaque.of("oid"), 0, 2))));

    static final Attributes ATTRIBUTES = Attributes.builder()
            .put(Attribute.SUPPORTED_ATTRS, MASK)
            .put(Attribute.TYPE, ObjectType.NF4DIR)
            .put(Attribute.FSID, new FileSystemId(1, 2))
            .put(Attribute.RDATTR_ERROR, Status.NFS4ERR_ACCESS)
            .put(Attribute.ACL, List.of(ACE, ACE))
            .put(Attribute.FILEHANDLE, FileHandle.of((byte) 1, (byte) 2, (byte) 3))
            .put(Attribute.HOMOGENEOUS, true)
            .put(Attribute.MODE, 0755)
            .put(Attribute.OWNER, "1000")
            .put(Attribute.RAWDEV, new DeviceNumbers(8, 1))
            .put(Attribute.TIME_ACCESS, new NfsTime(1, 2))
            .put(Attribute.TIME_ACCESS_SET, SetTime.SERVER_TIME)
            .put(Attribute.TIME_MODIFY_SET, new SetTime(new NfsTime(3, 4)))
            .put(Attribute.FS_LAYOUT_TYPE, List.of(1, 2))
            .put(Attribute.MODE_SET_MASKED, new Attribute.ModeMasked(0700, 0777))
            .put(Attribute.SUPPATTR_EXCLCREAT, MASK)
            .build();

    private final List<Sample<?>> all = new ArrayList<>();

    private Samples() {}

    @FunctionalInterface
    interface Decoder<T> {
        T decode(XdrReader in) throws XdrException;
    }

    /**
     * A value and its codec.
     *
     * @param head the words in front of what {@code decoder} reads: opcode, and status where a result
     */
    record Sample<T>(String name, T value, List<Integer> head, BiConsumer<XdrWriter, T> encoder, Decoder<T> decoder) {
        byte[] encoded() {
            XdrWriter out = new XdrWriter();
            encodeTo(out);
            return out.toByteArray();
        }

        void encodeTo(XdrWriter out) {
            encoder.accept(out, value);
        }

        /** The operation, and whether these are its arguments or its result. */
        String kind() {
            return name.substring(0, name.lastIndexOf(' '));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private <T> void args(int opcode, T value, BiConsumer<XdrWriter, T> encoder, Decoder<T> decoder) {
        all.add(new Sample<>(Opcode.name(opcode) + " args " + all.size(), value, List.of(opcode), encoder, decoder));
    }

    private <T> void result(int opcode, T value, BiConsumer<XdrWriter, T> encoder, Decoder<T> decoder) {
        result(opcode, Status.NFS4_OK, value, encoder, decoder);
    }

    private <T> void result(int opcode, Status status, T value, BiConsumer<XdrWriter, T> encoder, Decoder<T> decoder) {
        String name = Opcode.name(opcode) + " result " + all.size();
        all.add(new Sample<>(name, value, List.of(opcode, status.code()), encoder, decoder));
    }

    private static Decoder<Object> nothing() {
        return in -> "";
    }

    private void empty(int opcode, Consumer<XdrWriter> args) {
        args(opcode, "", (out, nothing) -> args.accept(out), nothing());
    }

    private void emptyResult(int opcode, Consumer<XdrWriter> result) {
        result(opcode, "", (out, nothing) -> result.accept(out), nothing());
    }

    static List<Sample<?>> all() {
        Samples samples = new Samples();
        samples.navigation();
        samples.attributes();
        samples.directories();
        samples.files();
        samples.opens();
        samples.locks();
        samples.sessions();
        samples.security();
        return samples.all;
    }

    private void navigation() {
        empty(Opcode.PUTROOTFH, PutRootFh::encodeArgs);
        emptyResult(Opcode.PUTROOTFH, PutRootFh::encodeResult);
        empty(Opcode.PUTPUBFH, PutPubFh::encodeArgs);
        emptyResult(Opcode.PUTPUBFH, PutPubFh::encodeResult);
        empty(Opcode.SAVEFH, SaveFh::encodeArgs);
        emptyResult(Opcode.SAVEFH, SaveFh::encodeResult);
        empty(Opcode.RESTOREFH, RestoreFh::encodeArgs);
        emptyResult(Opcode.RESTOREFH, RestoreFh::encodeResult);
        empty(Opcode.LOOKUPP, LookupP::encodeArgs);
        emptyResult(Opcode.LOOKUPP, LookupP::encodeResult);
        empty(Opcode.GETFH, GetFh::encodeArgs);
        FileHandle handle = FileHandle.of(new byte[FileHandle.MAX_LENGTH]);
        result(Opcode.GETFH, new GetFh.Result(handle), GetFh::encodeResult, GetFh::decodeResult);
        args(Opcode.PUTFH, new PutFh.Args(handle), PutFh::encodeArgs, PutFh::decodeArgs);
        emptyResult(Opcode.PUTFH, PutFh::encodeResult);
        args(Opcode.LOOKUP, new Lookup.Args("nämé"), Lookup::encodeArgs, Lookup::decodeArgs);
        emptyResult(Opcode.LOOKUP, Lookup::encodeResult);
    }

    private void attributes() {
        args(Opcode.GETATTR, new GetAttr.Args(MASK), GetAttr::encodeArgs, GetAttr::decodeArgs);
        result(Opcode.GETATTR, new GetAttr.Result(ATTRIBUTES), GetAttr::encodeResult, GetAttr::decodeResult);
        args(Opcode.SETATTR, new SetAttr.Args(STATE, ATTRIBUTES), SetAttr::encodeArgs, SetAttr::decodeArgs);
        for (Status status : List.of(Status.NFS4_OK, Status.NFS4ERR_PERM)) {
            result(
                    Opcode.SETATTR,
                    status,
                    new SetAttr.Result(status, MASK),
                    SetAttr::encodeResult,
                    in -> SetAttr.decodeResult(in, status));
        }
        args(Opcode.VERIFY, new Verify.Args(ATTRIBUTES), Verify::encodeArgs, Verify::decodeArgs);
        emptyResult(Opcode.VERIFY, Verify::encodeResult);
        args(Opcode.NVERIFY, new NVerify.Args(ATTRIBUTES), NVerify::encodeArgs, NVerify::decodeArgs);
        emptyResult(Opcode.NVERIFY, NVerify::encodeResult);
        args(Opcode.ACCESS, new Access.Args(Access.READ | Access.EXECUTE), Access::encodeArgs, Access::decodeArgs);
        result(Opcode.ACCESS, new Access.Result(0x3f, 1), Access::encodeResult, Access::decodeResult);
    }

    private void directories() {
        Create.Args device = new Create.Args(ObjectType.NF4CHR, null, new DeviceNumbers(1, 3), "null", ATTRIBUTES);
        for (Create.Args args : List.of(
                Create.directory("dir", ATTRIBUTES), Create.symbolicLink("link", "../there", ATTRIBUTES), device)) {
            args(Opcode.CREATE, args, Create::encodeArgs, Create::decodeArgs);
        }
        result(Opcode.CREATE, new Create.Result(CHANGE, MASK), Create::encodeResult, Create::decodeResult);
        args(Opcode.REMOVE, new Remove.Args("name"), Remove::encodeArgs, Remove::decodeArgs);
        result(Opcode.REMOVE, new Remove.Result(CHANGE), Remove::encodeResult, Remove::decodeResult);
        args(Opcode.RENAME, new Rename.Args("old", "new"), Rename::encodeArgs, Rename::decodeArgs);
        result(Opcode.RENAME, new Rename.Result(CHANGE, CHANGE), Rename::encodeResult, Rename::decodeResult);
        args(Opcode.LINK, new Link.Args("new"), Link::encodeArgs, Link::decodeArgs);
        result(Opcode.LINK, new Link.Result(CHANGE), Link::encodeResult, Link::decodeResult);
        empty(Opcode.READLINK, ReadLink::encodeArgs);
        result(Opcode.READLINK, new ReadLink.Result("../there"), ReadLink::encodeResult, ReadLink::decodeResult);
        args(Opcode.READDIR, new ReadDir.Args(1, 2, 3, 4, MASK), ReadDir::encodeArgs, ReadDir::decodeArgs);
        List<ReadDir.Entry> entries =
                List.of(new ReadDir.Entry(3, "a", ATTRIBUTES), new ReadDir.Entry(4, "b", Attributes.EMPTY));
        result(Opcode.READDIR, new ReadDir.Result(9, entries, true), ReadDir::encodeResult, ReadDir::decodeResult);
    }

    private void files() {
        args(Opcode.READ, new Read.Args(STATE, 1L << 40, -1), Read::encodeArgs, Read::decodeArgs);
        ByteBuffer data = ByteBuffer.wrap(new byte[] {1, 2, 3, 4, 5});
        result(Opcode.READ, new Read.Result(true, data), Read::encodeResult, Read::decodeResult);
        args(
                Opcode.WRITE,
                new Write.Args(STATE, 1L << 40, StableHow.DATA_SYNC4, data),
                Write::encodeArgs,
                Write::decodeArgs);
        result(Opcode.WRITE, new Write.Result(5, StableHow.FILE_SYNC4, -3), Write::encodeResult, Write::decodeResult);
        args(Opcode.COMMIT, new Commit.Args(1, 2), Commit::encodeArgs, Commit::decodeArgs);
        result(Opcode.COMMIT, new Commit.Result(77), Commit::encodeResult, Commit::decodeResult);
    }

    private void opens() {
        List<OpenHow> hows = List.of(
                new OpenHow.NoCreate(),
                new OpenHow.Unchecked(ATTRIBUTES),
                new OpenHow.Guarded(ATTRIBUTES),
                new OpenHow.Exclusive(5),
                new OpenHow.ExclusiveWithAttributes(6, ATTRIBUTES));
        List<OpenClaim> claims = List.of(
                new OpenClaim.Null("file"),
                new OpenClaim.Previous(1),
                new OpenClaim.DelegateCurrent(STATE, "file"),
                new OpenClaim.DelegatePrevious("file"),
                new OpenClaim.ByHandle(),
                new OpenClaim.DelegateCurrentByHandle(STATE),
                new OpenClaim.DelegatePreviousByHandle());
        for (OpenHow how : hows) {
            open(how, claims.get(0));
        }
        for (OpenClaim claim : claims) {
            open(hows.get(0), claim);
        }
        List<OpenDelegation> delegations = List.of(
                new OpenDelegation.None(),
                new OpenDelegation.ForReading(STATE, true, ACE),
                new OpenDelegation.ForWriting(STATE, false, new OpenDelegation.SpaceLimit(false, 1L << 33, 0), ACE),
                new OpenDelegation.ForWriting(STATE, false, new OpenDelegation.SpaceLimit(true, 0xffffffffL, 512), ACE),
                new OpenDelegation.NoneExtended(OpenDelegation.NoneExtended.NOT_WANTED, false),
                new OpenDelegation.NoneExtended(OpenDelegation.NoneExtended.RESOURCE, true));
        for (OpenDelegation delegation : delegations) {
            Open.Result result = new Open.Result(STATE, CHANGE, Open.RESULT_LOCKTYPE_POSIX, MASK, delegation);
            result(Opcode.OPEN, result, Open::encodeResult, Open::decodeResult);
        }
        args(Opcode.CLOSE, new Close.Args(0, STATE), Close::encodeArgs, Close::decodeArgs);
        result(Opcode.CLOSE, new Close.Result(StateId.INVALID), Close::encodeResult, Close::decodeResult);
        args(
                Opcode.OPEN_DOWNGRADE,
                new OpenDowngrade.Args(STATE, 0, 1, 0),
                OpenDowngrade::encodeArgs,
                OpenDowngrade::decodeArgs);
        result(
                Opcode.OPEN_DOWNGRADE,
                new OpenDowngrade.Result(STATE),
                OpenDowngrade::encodeResult,
                OpenDowngrade::decodeResult);
        args(Opcode.DELEGRETURN, new DelegReturn.Args(STATE), DelegReturn::encodeArgs, DelegReturn::decodeArgs);
        emptyResult(Opcode.DELEGRETURN, DelegReturn::encodeResult);
    }

    private void open(OpenHow how, OpenClaim claim) {
        int access = Open.SHARE_ACCESS_BOTH | Open.WANT_NO_DELEGATION;
        args(
                Opcode.OPEN,
                new Open.Args(0, access, Open.SHARE_DENY_NONE, OWNER, how, claim),
                Open::encodeArgs,
                Open::decodeArgs);
    }

    private void locks() {
        List<Lock.Locker> lockers =
                List.of(new Lock.NewLockOwner(0, STATE, 0, OWNER), new Lock.ExistingLockOwner(STATE, 0));
        for (Lock.Locker locker : lockers) {
            args(
                    Opcode.LOCK,
                    new Lock.Args(LockType.READW_LT, true, 1, -1, locker),
                    Lock::encodeArgs,
                    Lock::decodeArgs);
        }
        result(Opcode.LOCK, new Lock.Result(STATE), Lock::encodeResult, Lock::decodeResult);
        result(Opcode.LOCK, Status.NFS4ERR_DENIED, DENIED, Lock::encodeDenied, Lock::decodeDenied);
        args(Opcode.LOCKT, new LockT.Args(LockType.WRITE_LT, 1, 2, OWNER), LockT::encodeArgs, LockT::decodeArgs);
        emptyResult(Opcode.LOCKT, LockT::encodeResult);
        result(Opcode.LOCKT, Status.NFS4ERR_DENIED, DENIED, LockT::encodeDenied, LockT::decodeDenied);
        args(Opcode.LOCKU, new LockU.Args(LockType.READ_LT, 0, STATE, 1, 2), LockU::encodeArgs, LockU::decodeArgs);
        result(Opcode.LOCKU, new LockU.Result(STATE), LockU::encodeResult, LockU::decodeResult);
        args(Opcode.FREE_STATEID, new FreeStateId.Args(STATE), FreeStateId::encodeArgs, FreeStateId::decodeArgs);
        emptyResult(Opcode.FREE_STATEID, FreeStateId::encodeResult);
        args(
                Opcode.TEST_STATEID,
                new TestStateId.Args(List.of(STATE, StateId.READ_BYPASS)),
                TestStateId::encodeArgs,
                TestStateId::decodeArgs);
        result(
                Opcode.TEST_STATEID,
                new TestStateId.Result(List.of(Status.NFS4_OK, Status.NFS4ERR_EXPIRED)),
                TestStateId::encodeResult,
                TestStateId::decodeResult);
    }

    private void sessions() {
        StateProtection machine = new StateProtection(StateProtection.How.SP4_MACH_CRED, MASK, MASK);
        for (StateProtection protection : List.of(StateProtection.NONE, machine)) {
            args(
                    Opcode.EXCHANGE_ID,
                    new ExchangeId.Args(1, Opaque.of("client"), 2, protection, Optional.of(SOFTWARE)),
                    ExchangeId::encodeArgs,
                    ExchangeId::decodeArgs);
            result(
                    Opcode.EXCHANGE_ID,
                    new ExchangeId.Result(
                            1, 2, 3, protection, 4, Opaque.of("major"), Opaque.of("scope"), Optional.empty()),
                    ExchangeId::encodeResult,
                    ExchangeId::decodeResult);
        }
        CallbackSecurity sys = new CallbackSecurity(
                SecurityFlavor.AUTH_SYS, new CallbackSecurity.SysParameters(1, "host", 2, 3, List.of(4)));
        args(
                Opcode.CREATE_SESSION,
                new CreateSession.Args(1, 2, 3, CHANNEL, CHANNEL, 4, List.of(CallbackSecurity.NONE, sys)),
                CreateSession::encodeArgs,
                CreateSession::decodeArgs);
        result(
                Opcode.CREATE_SESSION,
                new CreateSession.Result(SESSION, 1, 2, CHANNEL, CHANNEL),
                CreateSession::encodeResult,
                CreateSession::decodeResult);
        args(Opcode.SEQUENCE, new Sequence.Args(SESSION, 1, 2, 3, true), Sequence::encodeArgs, Sequence::decodeArgs);
        result(
                Opcode.SEQUENCE,
                new Sequence.Result(SESSION, 1, 2, 3, 4, Sequence.LEASE_MOVED),
                Sequence::encodeResult,
                Sequence::decodeResult);
        args(
                Opcode.BACKCHANNEL_CTL,
                new BackchannelCtl.Args(0x40000000, List.of(CallbackSecurity.NONE)),
                BackchannelCtl::encodeArgs,
                BackchannelCtl::decodeArgs);
        emptyResult(Opcode.BACKCHANNEL_CTL, BackchannelCtl::encodeResult);
        args(
                Opcode.BIND_CONN_TO_SESSION,
                new BindConnToSession.Args(SESSION, BindConnToSession.Wish.BACK_OR_BOTH, false),
                BindConnToSession::encodeArgs,
                BindConnToSession::decodeArgs);
        result(
                Opcode.BIND_CONN_TO_SESSION,
                new BindConnToSession.Result(SESSION, BindConnToSession.Direction.BOTH, true),
                BindConnToSession::encodeResult,
                BindConnToSession::decodeResult);
        endings();
    }

    private void endings() {
        args(
                Opcode.DESTROY_SESSION,
                new DestroySession.Args(SESSION),
                DestroySession::encodeArgs,
                DestroySession::decodeArgs);
        emptyResult(Opcode.DESTROY_SESSION, DestroySession::encodeResult);
        args(
                Opcode.DESTROY_CLIENTID,
                new DestroyClientId.Args(1),
                DestroyClientId::encodeArgs,
                DestroyClientId::decodeArgs);
        emptyResult(Opcode.DESTROY_CLIENTID, DestroyClientId::encodeResult);
        args(
                Opcode.RECLAIM_COMPLETE,
                new ReclaimComplete.Args(false),
                ReclaimComplete::encodeArgs,
                ReclaimComplete::decodeArgs);
        emptyResult(Opcode.RECLAIM_COMPLETE, ReclaimComplete::encodeResult);
    }

    private void security() {
        args(Opcode.SECINFO, new SecInfo.Args("name"), SecInfo::encodeArgs, SecInfo::decodeArgs);
        result(Opcode.SECINFO, new SecInfo.Result(FLAVORS), SecInfo::encodeResult, SecInfo::decodeResult);
        args(
                Opcode.SECINFO_NO_NAME,
                new SecInfoNoName.Args(SecInfoNoName.Style.PARENT),
                SecInfoNoName::encodeArgs,
                SecInfoNoName::decodeArgs);
        result(
                Opcode.SECINFO_NO_NAME,
                new SecInfoNoName.Result(FLAVORS),
                SecInfoNoName::encodeResult,
                SecInfoNoName::decodeResult);
    }
}
