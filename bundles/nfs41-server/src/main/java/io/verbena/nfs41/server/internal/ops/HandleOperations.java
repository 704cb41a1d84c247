package io.verbena.nfs41.server.internal.ops;

import static io.verbena.nfs41.Status.NFS4ERR_NOENT;
import static io.verbena.nfs41.Status.NFS4_OK;

import io.verbena.nfs41.FileHandle;
import io.verbena.nfs41.GetFh;
import io.verbena.nfs41.Lookup;
import io.verbena.nfs41.LookupP;
import io.verbena.nfs41.Opcode;
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
import io.verbena.nfs41.server.internal.vfs.ExportTree;
import io.verbena.nfs41.server.internal.vfs.FoundObject;
import io.verbena.nfs41.server.internal.vfs.Inode;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.io.IOException;
import java.util.List;

/** Operations that set the current filehandle. */
final class HandleOperations {
    private static final List<SecurityFlavor> FLAVORS =
            List.of(SecurityFlavor.of(SecurityFlavor.AUTH_SYS), SecurityFlavor.of(SecurityFlavor.AUTH_NONE));

    private final ExportTree tree;
    private final String exportName;

    /**
     * @param exportName a name by which LOOKUP in the root finds the root itself, so that a client may mount {@code /}
     *     and {@code /NAME}
     */
    HandleOperations(ExportTree tree, String exportName) {
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

    private Status putRoot(CompoundContext context, XdrReader in, XdrWriter out) {
        context.setCurrent(tree.root());
        PutRootFh.encodeResult(out);
        return NFS4_OK;
    }

    private Status putPublic(CompoundContext context, XdrReader in, XdrWriter out) {
        context.setCurrent(tree.root());
        PutPubFh.encodeResult(out);
        return NFS4_OK;
    }

    private Status put(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        byte[] handle = PutFh.decodeArgs(in).object().value().toByteArray();
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
        context.saved();
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
        find(context, SecInfo.decodeArgs(in).name());
        context.clearCurrent(); // RFC 8881 section 2.6.3.1.1.8
        SecInfo.encodeResult(out, new SecInfo.Result(FLAVORS));
        return NFS4_OK;
    }

    private Status secInfoNoName(CompoundContext context, XdrReader in, XdrWriter out) throws IOException {
        SecInfoNoName.Style style = SecInfoNoName.decodeArgs(in).style();
        if (style == SecInfoNoName.Style.PARENT) {
            tree.parent(context.current(), context.caller()); // throws if there is none
        } else {
            context.current();
        }
        context.clearCurrent();
        SecInfoNoName.encodeResult(out, new SecInfoNoName.Result(FLAVORS));
        return NFS4_OK;
    }
}
