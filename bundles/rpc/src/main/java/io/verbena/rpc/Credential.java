package io.verbena.rpc;

import io.verbena.xdr.XdrException;
import io.verbena.xdr.XdrReader;
import io.verbena.xdr.XdrWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Who makes a call (RFC 5531 section 8.2). */
public sealed interface Credential permits Credential.None, Credential.Sys, Credential.Proved, Credential.Other {
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

    /**
     * Who has proved to be the caller, as a program behind a security flavor learns it. It does not travel.
     *
     * @param flavor the flavor that has the proof, 6 for RPCSEC_GSS
     * @param principal the caller's name, such as {@code user@REALM}
     * @param service what the flavor protects: 1 the header, 2 the integrity and 3 the privacy of arguments and results
     *     too (RFC 2203 section 5.3.1)
     */
    record Proved(int flavor, String principal, int service) implements Credential {}

    /** A flavor that is not known here, as it has come. */
    record Other(OpaqueAuth auth) implements Credential {
        @Override
        public int flavor() {
            return auth.flavor();
        }
    }

    /** The most octets of an {@code opaque_auth} body (RFC 5531 section 8.2). */
    int MAX_BODY = 400;

    /** The credential without a user. */
    static Credential none() {
        return None.INSTANCE;
    }

    /**
     * Writes the credential as {@code opaque_auth}.
     *
     * @throws IllegalStateException for {@link Proved}
     */
    default void encode(XdrWriter out) {
        if (this instanceof Proved) {
            throw new IllegalStateException("the proof of flavor " + flavor() + " is made by the flavor");
        }
        if (this instanceof Other other) {
            other.auth.encode(out);
            return;
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
        byte[] body = in.getOpaque(MAX_BODY);
        return flavor == None.FLAVOR ? none() : new Other(new OpaqueAuth(flavor, body));
    }
}
