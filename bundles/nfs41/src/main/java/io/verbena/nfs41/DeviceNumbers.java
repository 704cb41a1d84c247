package io.verbena.nfs41;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;

/**
 * {@code specdata4}: the numbers of a device file (RFC 8881 section 3.3.4).
 *
 * @param major first number, unsigned
 * @param minor second number, unsigned
 */
public record DeviceNumbers(int major, int minor) {
    public void encode(XdrWriter out) {
        out.putInt(major).putInt(minor);
    }

    public static DeviceNumbers decode(XdrReader in) throws XdrException {
        return new DeviceNumbers(in.getInt(), in.getInt());
    }
}
