package io.verbena.nfs;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The options of mount(8) and nfs(5) that are no {@link MountOption}, and what {@link MountOptions#parse} does with
 * each. A line of fstab that the kernel's client takes is so taken here, too, unless that would be a lie. Immutable.
 */
final class OtherOptions {
    /** What becomes of an option. */
    enum Use {
        /** The effect of the option is there anyway. */
        HOLDS,
        /** The option counts as another one, which the words name. */
        COUNTS_AS,
        /** The option has no effect, for the reason that the words give. */
        IGNORED,
        /** The mount is refused, and the words say why and what to do. */
        REFUSED
    }

    /**
     * An option.
     *
     * @param use what becomes of the option
     * @param words the other option, the reason, or what to do; empty for {@link Use#HOLDS}
     */
    record Other(Use use, String words) {}

    private static final String HOST = "for the host's mount program";
    private static final String SERVER_TIMES = "the server keeps times of access";
    private static final String MNT = "NFSv4 has no mount protocol";
    private static final String V3_ONLY = "for NFS versions before 4";
    private static final String V40_ONLY = "for NFSv4.0";
    private static final String ONE_ADDRESS = "one address of the server is used";
    private static final String NO_KERNEL = "no kernel's file system is made";
    private static final String VERSION = "Verbena speaks NFSv4.1: leave the option out, or use the kernel's client";
    private static final String TRANSPORT = "Verbena speaks NFS over RDMA: leave the option out if the server listens"
            + " for RDMA, or use the kernel's client";
    private static final String OTHER_MECHANISMS = "of RPCSEC_GSS Kerberos is there: use sec=krb5, krb5i or krb5p";
    private static final String TLS = "RPC with TLS needs TCP: use a network that is trusted, or the kernel's client";

    /** By {@code key=value}, which comes first, or {@code key}. */
    private static final Map<String, Other> TABLE = table();

    private OtherOptions() {}

    /** Returns what becomes of an option; empty if it is unknown here. A value of null stands for none. */
    static Optional<Other> find(String key, String value) {
        Other exact = TABLE.get(key + "=" + value);
        if (exact != null) {
            return Optional.of(exact);
        }
        Other known = TABLE.get(key);
        if (known == null && (key.startsWith("x-") || key.startsWith("X-"))) {
            return Optional.of(new Other(Use.IGNORED, HOST));
        }
        return Optional.ofNullable(known);
    }

    /** Returns all names, some with a value. */
    static List<String> names() {
        return List.copyOf(TABLE.keySet());
    }

    private static Map<String, Other> table() {
        Map<String, Other> all = new LinkedHashMap<>();
        addHolding(all);
        addCounting(all);
        addIgnored(all);
        addRefused(all);
        return all;
    }

    private static void addHolding(Map<String, Other> all) {
        // mount(8)
        add(all, Use.HOLDS, "", "defaults auto noauto nofail fail exec noexec dev nodev suid nosuid async dirsync");
        add(all, Use.HOLDS, "", "nouser nousers noowner nogroup nomand loud symfollow noiversion");
        // nfs(5)
        add(all, Use.HOLDS, "", "fg cto lock nofsc nosharecache noresvport nosoftreval notrunkdiscovery xprtsec=none");
        add(all, Use.HOLDS, "", "local_lock=none lookupcache=none minorversion=1 v4.1 proto=rdma6 write=lazy nosloppy");
    }

    private static void addCounting(Map<String, Other> all) {
        add(all, Use.COUNTS_AS, "soft", "softerr");
        add(all, Use.COUNTS_AS, "vers=4.1", "vers=4 v4");
        add(all, Use.COUNTS_AS, "sync", "write=wait");
    }

    private static void addIgnored(Map<String, Other> all) {
        add(all, Use.IGNORED, HOST, "user users owner group _netdev comment helper uhelper _rnetdev silent");
        add(all, Use.IGNORED, SERVER_TIMES, "atime noatime diratime nodiratime relatime norelatime strictatime");
        add(all, Use.IGNORED, SERVER_TIMES, "nostrictatime lazytime nolazytime");
        add(all, Use.IGNORED, NO_KERNEL, "context fscontext defcontext rootcontext seclabel mand iversion");
        add(all, Use.IGNORED, NO_KERNEL, "quota noquota usrquota grpquota fatal_neterrors alignwrite noalignwrite");
        add(all, Use.IGNORED, MNT, "mountport mounthost mountaddr mountvers mountprog mountproto namlen");
        add(all, Use.IGNORED, V3_ONLY, "nolock acl noacl posix noposix nfsprog prog");
        add(all, Use.IGNORED, V40_ONLY, "clientaddr migration nomigration");
        add(all, Use.IGNORED, ONE_ADDRESS, "max_connect trunkdiscovery");
        add(all, Use.IGNORED, "the name of the server is looked up", "addr");
        add(all, Use.IGNORED, "a command waits up to 30 s for the server", "bg retry");
        add(all, Use.IGNORED, "calls can always be interrupted", "intr nointr");
        add(all, Use.IGNORED, "the server keeps all locks", "local_lock");
        add(all, Use.IGNORED, "listings always bring attributes", "rdirplus nordirplus");
        add(all, Use.IGNORED, "names are looked up at the server", "lookupcache");
        add(all, Use.IGNORED, "closing a file always writes it", "nocto");
        add(all, Use.IGNORED, "nothing is cached on disk", "fsc");
        add(all, Use.IGNORED, "mounts share no cache", "sharecache");
        add(all, Use.IGNORED, "the system chooses the port of the client", "resvport");
        add(all, Use.IGNORED, "what is cached is dropped after actimeo seconds", "softreval acregmin acdirmin");
        add(all, Use.IGNORED, "writes are sent when they fill a request", "write");
        add(all, Use.IGNORED, "the server's blocks count", "bsize");
        add(all, Use.IGNORED, "unknown options are refused", "sloppy");
        add(all, Use.IGNORED, "4.1 is spoken", "vers=4.2 v4.2 minorversion=2");
    }

    private static void addRefused(Map<String, Other> all) {
        add(all, Use.REFUSED, VERSION, "vers=2 vers=3 vers=4.0 v2 v3 v4.0 minorversion=0 minorversion");
        add(all, Use.REFUSED, TRANSPORT, "proto=tcp proto=tcp6 proto=udp proto=udp6 tcp udp");
        add(all, Use.REFUSED, OTHER_MECHANISMS, "sec=lkey sec=lkeyi sec=lkeyp sec=spkm sec=spkmi sec=spkmp");
        add(all, Use.REFUSED, TLS, "xprtsec=tls xprtsec=mtls xprtsec");
        add(all, Use.REFUSED, "it is a mount of files of this host: use the system's mount", "bind rbind move loop");
        add(all, Use.REFUSED, "a mount cannot be changed: nfs:unmount it, then mount it anew", "remount");
        add(all, Use.REFUSED, "links of a server cannot be left unfollowed: leave the option out", "nosymfollow");
        add(all, Use.REFUSED, "name the directory as part of the export", "X-mount.subdir");
        add(all, Use.REFUSED, "users and groups cannot be mapped: leave the option out", "X-mount.idmap");
    }

    private static void add(Map<String, Other> all, Use use, String words, String names) {
        for (String name : names.split(" ", -1)) {
            all.put(name, new Other(use, words));
        }
    }
}
