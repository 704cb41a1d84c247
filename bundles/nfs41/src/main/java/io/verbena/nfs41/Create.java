package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/** CREATE: makes an object that is no regular file in the current directory (RFC 8881 section 18.4). */
public final class Create {
    private Create() {}

    /**
     * The arguments; {@link #directory} and {@link #symbolicLink} make them.
     *
     * @param type the object's kind; one that {@code createtype4} has no arm for is for the server to refuse
     * @param linkText what a symbolic link holds, else null
     * @param device the numbers of a device file, else null
     * @param name in the current directory
     * @param attributes to begin with
     */
    public record Args(ObjectType type, String linkText, DeviceNumbers device, String name, Attributes attributes) {}

    /**
     * The results. The object becomes the current one.
     *
     * @param change how the directory changed
     * @param attributesSet which of the attributes were set
     */
    public record Result(ChangeInfo change, AttributeMask attributesSet) {}

    public static Args directory(String name, Attributes attributes) {
        return new Args(ObjectType.NF4DIR, null, null, name, attributes);
    }

    public static Args symbolicLink(String name, String linkText, Attributes attributes) {
        return new Args(ObjectType.NF4LNK, linkText, null, name, attributes);
    }

    public static void encodeArgs(XdrWriter out, Args args) {
        out.putInt(Opcode.CREATE);
        args.type.encode(out);
        switch (args.type) {
            case NF4LNK -> out.putText(args.linkText);
            case NF4BLK, NF4CHR -> args.device.encode(out);
            default -> {}
        }
        out.putText(args.name);
        args.attributes.encode(out);
    }

    /** Reads the arguments; the link text may have been placed outside the stream (RFC 8267 section 5.1). */
    public static Args decodeArgs(XdrReader in) throws XdrException {
        ObjectType type = ObjectType.decode(in);
        String linkText = type == ObjectType.NF4LNK ? in.getTextData(Codec.MAX_LINK_TEXT) : null;
        boolean isDevice = type == ObjectType.NF4BLK || type == ObjectType.NF4CHR;
        DeviceNumbers device = isDevice ? DeviceNumbers.decode(in) : null;
        return new Args(type, linkText, device, in.getText(Codec.MAX_NAME), Attributes.decode(in));
    }

    public static void encodeResult(XdrWriter out, Result result) {
        Codec.ok(out, Opcode.CREATE);
        result.change.encode(out);
        result.attributesSet.encode(out);
    }

    public static Result decodeResult(XdrReader in) throws XdrException {
        return new Result(ChangeInfo.decode(in), AttributeMask.decode(in));
    }
}
