package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_NOENT;
import static io.verbena.nfs41.Status.NFS4ERR_WRONGSEC;
import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.Opcode;
import io.verbena.nfs41.Open;
import io.verbena.nfs41.OpenClaim;
import io.verbena.nfs41.PutFh;
import io.verbena.nfs41.PutPubFh;
import io.verbena.nfs41.PutRootFh;
import io.verbena.nfs41.RestoreFh;
import io.verbena.nfs41.SaveFh;
import io.verbena.nfs41.SecInfo;
import io.verbena.nfs41.SecInfoNoName;
import io.verbena.nfs41.SecurityFlavor;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.util.IoErrors;
import io.verbena.nfs41.server.internal.util.NfsError;
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.FoundObject;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.List;

/** Operations that set the current filehandle. */
final class HandleOperations {
    private final ExportTree tree;
    private final String exportName;
    private final List<SecurityFlavor> flavors;

    /**
     * @param exportName a name by which LOOKUP in the root finds the root itself, so that a client may mount {@code /}
     *     and {@code /NAME}
     * @param flavors the answer of SECINFO
     */
    HandleOperations(ExportTree tree, String exportName, List<SecurityFlavor> flavors) {
        this.flavors = flavors;
        this.tree = tree;
        this.exportName = exportName;
    }

    void addTo(OperationTable table) {
        table.add(Opcode.PUTROOTFH, this::putRoot)
                .add(Opcode.PUTPUBFH, this::putPublic)
                .add(Opcode.PUTFH, this::put)
                .add(Opcode.GETFH, this::get)
                .add(Opcode.SAVEFH, this::save)
                .add(Opcode.RESTOREFH, this::restore)
                .add(Opcode.LOOKUP, this::lookup)
                .add(Opcode.LOOKUPP, this::lookupParent)
                .add(Opcode.SECINFO, this::secInfo)
                .add(Opcode.SECINFO_NO_NAME, this::secInfoNoName);
    }

    /**
     * Requires a kind of security that the export allows, unless the operation that follows tells it (RFC 8881 section
     * 2.6.3.1.1).
     *
     * @param in stands behind the arguments of the present operation
     * @throws NfsError {@code WRONGSEC}
     */
    private static void requireAllowed(CompoundContext context, XdrReader in) throws NfsError {
        if (!context.isAllowed() && !isLeftToNext(context.operationsBehind(), in.ahead())) {
            throw new NfsError(NFS4ERR_WRONGSEC);
        }
    }

    private static boolean isLeftToNext(int behind, XdrReader ahead) {
        try {
            for (int left = behind; left > 0; left--) {
                int opcode = ahead.getInt();
                if (opcode == Opcode.OPEN) {
                    OpenClaim claim = Open.decodeArgs(ahead).claim();
                    return claim instanceof OpenClaim.Null
                            || claim instanceof OpenClaim.DelegateCurrent
                            || claim instanceof OpenClaim.DelegatePrevious;
                } else if (opcode != Opcode.SAVEFH) { // the operation behind SAVEFH counts: section 2.6.3.1.1.2
                    return tellsSecurity(opcode);
                }
            }
            return true;
        } catch (XdrException e) {
            return false; // it fails anyway
        }
    }

    private static boolean tellsSecurity(int opcode) {
        return switch (opcode) {
            case Opcode.PUTFH,
                    Opcode.PUTROOTFH,
                    Opcode.PUTPUBFH,
                    Opcode.RESTOREFH,
                    Opcode.LOOKUP,
                    Opcode.LOOKUPP,
                    Opcode.SECINFO,
                    Opcode.SECINFO_NO_NAME -> true;
            default -> false;
        };
    }

    private Status putRoot(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        requireAllowed(context, in);
        context.setCurrent(tree.root());
        PutRootFh.encodeResult(out);
        return NFS4_OK;
    }

    private Status putPublic(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        requireAllowed(context, in);
        context.setCurrent(tree.root());
        PutPubFh.encodeResult(out);
        return NFS4_OK;
    }

    private Status put(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        byte[] handle = PutFh.decodeArgs(in).object().value().toByteArray();
        requireAllowed(context, in);
        Inode known = tree.resolveKnown(handle);
        if (known == null) {
            return context.onWorker(() -> put(context, tree.resolve(handle), out));
        }
        return put(context, known, out);
    }

    private static Status put(CompoundContext context, Inode inode, XdrWriter out) {
        context.setCurrent(inode);
        PutFh.encodeResult(out);
        return NFS4_OK;
    }

    private Status get(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        GetFh.encodeResult(out, new GetFh.Result(FileHandle.of(tree.handle(context.current()))));
        return NFS4_OK;
    }

    private Status save(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        context.save();
        SaveFh.encodeResult(out);
        return NFS4_OK;
    }

    private Status restore(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        context.requireSaved();
        requireAllowed(context, in);
        context.restore();
        RestoreFh.encodeResult(out);
        return NFS4_OK;
    }

    private Status lookup(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        String name = Lookup.decodeArgs(in).name();
        context.setCurrent(find(context, name));
        Lookup.encodeResult(out);
        return NFS4_OK;
    }

    private FoundObject find(CompoundContext context, String name) throws IOException {
        Inode directory = context.current();
        try {
            return tree.lookup(directory, context.currentAttributes(), name, context.caller());
        } catch (IOException e) {
            if (directory.equals(tree.root()) && name.equals(exportName) && IoErrors.status(e) == NFS4ERR_NOENT) {
                return new FoundObject(directory, tree.attributes(directory));
            }
            throw e;
        }
    }

    private Status lookupParent(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        context.setCurrent(tree.parent(context.current(), context.caller()));
        LookupP.encodeResult(out);
        return NFS4_OK;
    }

    private Status secInfo(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        String name = SecInfo.decodeArgs(in).name();
        if (context.isAllowed()) {
            find(context, name);
        } else {
            context.requireCurrent(); // others learn the kinds, the same for all names, and not which names there are
        }
        context.clearCurrent(); // RFC 8881 section 2.6.3.1.1.8
        SecInfo.encodeResult(out, new SecInfo.Result(flavors));
        return NFS4_OK;
    }

    private Status secInfoNoName(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        SecInfoNoName.Style style = SecInfoNoName.decodeArgs(in).style();
        if (style == SecInfoNoName.Style.PARENT && context.isAllowed()) {
            tree.parent(context.current(), context.caller()); // throws if there is none
        } else {
            context.requireCurrent();
        }
        context.clearCurrent();
        SecInfoNoName.encodeResult(out, new SecInfoNoName.Result(flavors));
        return NFS4_OK;
    }
}
