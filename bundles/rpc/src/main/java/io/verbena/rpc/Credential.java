package io.verbena.rpc;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Who makes a call (RFC 5531 section 8.2). */
public sealed interface Credential permits Credential.None, Credential.Sys, Credential.Unknown {
    /** The flavor's number (RFC 5531 section 8.2). */
    int flavor();

    /** {@code AUTH_NONE}: no user. */
    record None() implements Credential {
        private static final None INSTANCE = new None();
        public static final int FLAVOR = 0;

        @Override
        public int flavor() {
            return FLAVOR;
        }
    }

    /**
     * {@code AUTH_SYS} (RFC 5531 appendix A): a user and groups, as the caller claims them without a proof.
     *
     * @param stamp an arbitrary number of the caller's
     * @param machineName at most 255 octets in UTF-8
     * @param uid the effective user, an unsigned number of 32 bits
     * @param gid the effective group, likewise
     * @param groups at most 16 further groups
     */
    record Sys(int stamp, String machineName, int uid, int gid, List<Integer> groups) implements Credential {
        public static final int FLAVOR = 1;
        public static final int MAX_MACHINE_NAME = 255;
        public static final int MAX_GROUPS = 16;

        public Sys {
            groups = List.copyOf(groups);
            if (groups.size() > MAX_GROUPS) {
                throw new IllegalArgumentException("AUTH_SYS holds at most 16 groups, not " + groups.size());
            }
            int nameOctets = machineName.getBytes(StandardCharsets.UTF_8).length;
            if (nameOctets > MAX_MACHINE_NAME) {
                throw new IllegalArgumentException(
                        "AUTH_SYS holds a machine name of at most 255 octets, not " + nameOctets);
            }
        }

        @Override
        public int flavor() {
            return FLAVOR;
        }

        private void encodeBody(XdrWriter out) {
            out.putInt(stamp).putString(machineName).putInt(uid).putInt(gid).putInt(groups.size());
            groups.forEach(out::putInt);
        }

        private static Sys decodeBody(XdrReader in) throws XdrException {
            int length = in.getCount(MAX_BODY, 1);
            int start = in.position();
            int stamp = in.getInt();
            String machineName = in.getString(MAX_MACHINE_NAME);
            int uid = in.getInt();
            int gid = in.getInt();
            int count = in.getCount(MAX_GROUPS, 4);
            List<Integer> groups = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                groups.add(in.getInt());
            }
            if (in.position() - start != length) {
                throw new XdrException("AUTH_SYS body that is not of the " + length + " octets announced", start);
            }
            return new Sys(stamp, machineName, uid, gid, groups);
        }
    }

    /** A flavor that this implementation does not know. The body is not kept. */
    record Unknown(int flavor) implements Credential {}

    /** The most octets of an {@code opaque_auth} body (RFC 5531 section 8.2). */
    int MAX_BODY = 400;

    /** The credential without a user. */
    static Credential none() {
        return None.INSTANCE;
    }

    /**
     * Writes the credential as {@code opaque_auth}.
     *
     * @throws IllegalStateException for an unknown flavor, whose body was not kept
     */
    default void encode(XdrWriter out) {
        if (this instanceof Unknown) {
            throw new IllegalStateException("a credential of unknown flavor " + flavor() + " cannot be written");
        }
        out.putInt(flavor());
        int lengthAt = out.position();
        out.putInt(0);
        if (this instanceof Sys sys) {
            sys.encodeBody(out);
        }
        out.setInt(lengthAt, out.position() - lengthAt - 4);
    }

    /** Reads an {@code opaque_auth}. */
    static Credential decode(XdrReader in) throws XdrException {
        int flavor = in.getInt();
        if (flavor == Sys.FLAVOR) {
            return Sys.decodeBody(in);
        }
        in.skipOpaque(MAX_BODY);
        return flavor == None.FLAVOR ? none() : new Unknown(flavor);
    }
}
