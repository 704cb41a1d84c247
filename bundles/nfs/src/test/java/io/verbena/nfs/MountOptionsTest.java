package io.verbena.nfs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MountOptionsTest {
    @Test
    void shouldReadKeysFlagsAndOpposites() {
        MountOptions options = MountOptions.parse("proto=rdma,port=2050,soft,nocrc,ro,nfsvers=4.1");

        assertThat(options.number(MountOption.PORT)).isEqualTo(2050);
        assertThat(options.isSet(MountOption.SOFT)).isTrue();
        assertThat(options.isSet(MountOption.CRC)).isFalse();
        assertThat(options.isSet(MountOption.RO)).isTrue();
        assertThat(options.get(MountOption.VERS)).isEqualTo("4.1");
        assertThat(MountOptions.parse("rdma").given()).containsEntry(MountOption.PROTO, "rdma");
    }

    @Test
    void shouldHaveDefaultsThatItWouldAcceptItself() {
        assertThat(MountOptions.parse("")).isEqualTo(MountOptions.DEFAULTS);
        for (MountOption option : MountOption.values()) {
            boolean openUnlessGiven = option.defaultValue().isEmpty();
            if (option.kind() != MountOption.Kind.FLAG && !openUnlessGiven) {
                String text = option.key() + "=" + option.defaultValue();
                assertThat(MountOptions.parse(text).get(option)).isEqualTo(option.defaultValue());
            }
        }
    }

    @Test
    void shouldLetTheLastOfAKeyHold() {
        assertThat(MountOptions.parse("soft,rsize=4096,hard,rsize=8192")).hasToString("rsize=8192,hard");
    }

    @Test
    void shouldReadWhatItPrints() {
        MountOptions options = MountOptions.parse("timeo=50,hard,retrans=0,noinvalidate,provider=iwarp");

        assertThat(MountOptions.parse(options.toString())).isEqualTo(options);
    }

    @Test
    void shouldNameTheNearestKnownOption() {
        assertThatThrownBy(() -> MountOptions.parse("rsiz=1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("unknown mount option 'rsiz': did you mean 'rsize'?");
    }

    @Test
    void shouldSayWhichValuesWouldDo() {
        assertThatThrownBy(() -> MountOptions.parse("port=0")).hasMessageContaining("a number from 1 to 65535");
        assertThatThrownBy(() -> MountOptions.parse("port=99999999999999999999"))
                .hasMessageContaining("'port'");
        assertThatThrownBy(() -> MountOptions.parse("port")).hasMessageContaining("wants a value");
        assertThatThrownBy(() -> MountOptions.parse("proto=tcp"))
                .hasMessage("mount option 'proto=tcp': Verbena speaks NFS over RDMA: leave the option out if the"
                        + " server listens for RDMA, or use the kernel's client");
        assertThatThrownBy(() -> MountOptions.parse("soft=1")).hasMessageContaining("takes no value");
    }

    /** The options of nfs(5) of nfs-utils 2.8 and those for all file systems of mount(8) of util-linux 2.41. */
    private static final String OF_MANUALS =
            """
            nfsvers=4.1 vers=4.1 vers=4 vers=4.2 v4 v4.1 v4.2 minorversion=1 minorversion=2
            soft softerr hard softreval nosoftreval intr nointr timeo=600 retrans=3 rsize=65536 wsize=65536
            ac noac acregmin=3 acregmax=60 acdirmin=30 acdirmax=60 actimeo=30 bg fg nconnect=4 max_connect=16
            rdirplus nordirplus rdirplus=none rdirplus=force retry=1 sec=sys sec=none
            sec=krb5 sec=krb5i sec=krb5p sharecache nosharecache resvport
            noresvport lookupcache=all lookupcache=pos lookupcache=positive lookupcache=none fsc nofsc sloppy
            xprtsec=none proto=rdma proto=rdma6 rdma port=20049 clientaddr=192.0.2.1 migration nomigration cto nocto
            lock nolock acl noacl local_lock=none local_lock=all local_lock=flock local_lock=posix
            mountport=20048 mounthost=h mountaddr=192.0.2.1 mountvers=3 mountproto=tcp namlen=255 addr=192.0.2.1
            trunkdiscovery notrunkdiscovery write=lazy write=eager write=wait bsize=4096 fatal_neterrors=none
            async atime noatime auto noauto context=c fscontext=c defcontext=c rootcontext=c defaults dev nodev
            diratime nodiratime dirsync exec noexec group iversion noiversion mand nomand _netdev nofail relatime
            norelatime strictatime nostrictatime lazytime nolazytime suid nosuid silent loud owner rw ro sync user
            user=me nouser users comment=c x-systemd.automount x-systemd.requires=u x-gvfs-show x-initrd.mount
            x-mount.mkdir X-mount.mkdir=0755 X-mount.owner=me symfollow nogroup noowner""";

    @Test
    void shouldTakeEveryOptionOfTheManuals() {
        for (String option : OF_MANUALS.strip().split("\\s+", -1)) {
            MountOptions options = MountOptions.parse(option);

            assertThat(MountOptions.parse(options.toString())).as(option).isEqualTo(options);
        }
        assertThat(MountOptions.parse(String.join(",", OF_MANUALS.strip().split("\\s+", -1)))
                        .note()
                        .orElseThrow())
                .contains("noatime", "max_connect=16", "x-systemd.automount")
                .doesNotContain("rsize", "nodev", "\n");
    }

    @Test
    void shouldSayInOneLineWhatIsIgnored() {
        MountOptions options = MountOptions.parse("noatime,max_connect=4,rsize=4194304,nodiratime,hard,nofail");

        assertThat(options.note())
                .contains("ignored mount options: noatime, nodiratime (the server keeps times of access);"
                        + " max_connect=4 (one address of the server is used); rsize=4194304 (it counts as 1048576)");
        assertThat(options).hasToString("rsize=1048576,hard");
        assertThat(MountOptions.parse("rw,soft,defaults,nodev,nconnect=16").note())
                .isEmpty();
    }

    @Test
    void shouldTakeCommasInQuotes() {
        MountOptions options = MountOptions.parse("soft,context=\"u:r:t:s0:c1,c2\",hard");

        assertThat(options).hasToString("hard");
        assertThat(options.note().orElseThrow()).contains("context=\"u:r:t:s0:c1,c2\" (");
    }

    @Test
    void shouldKeepTheMeaningOfOptionsThatCountAsOthers() {
        assertThat(MountOptions.parse("softerr")).hasToString("soft");
        assertThat(MountOptions.parse("nfsvers=4,minorversion=1")).hasToString("vers=4.1");
        assertThat(MountOptions.parse("sync").isSet(MountOption.AC)).isFalse();
        assertThat(MountOptions.parse("sync,ac").isSet(MountOption.AC)).isFalse();
        assertThat(MountOptions.parse("sync,async").isSet(MountOption.AC)).isTrue();
        assertThat(MountOptions.parse("acregmax=1,acdirmax=60").number(MountOption.ACTIMEO))
                .isEqualTo(1);
        assertThat(MountOptions.parse("actimeo=2,acregmax=60").number(MountOption.ACTIMEO))
                .isEqualTo(2);
        assertThat(MountOptions.parse("rsize=512").number(MountOption.RSIZE)).isEqualTo(4096);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "vers=3",
                "nfsvers=3",
                "vers=4.0",
                "v3",
                "minorversion=0",
                "proto=tcp",
                "proto=udp",
                "udp",
                "sec=lkey",
                "sec=spkm",
                "xprtsec=tls",
                "xprtsec=mtls",
                "bind",
                "remount",
                "nosymfollow",
                "X-mount.subdir=a",
                "X-mount.idmap=u:1:2:3"
            })
    void shouldRefuseWhatItCannotIgnoreAndSayWhatToDo(String option) {
        assertThatThrownBy(() -> MountOptions.parse("hard," + option))
                .hasMessageStartingWith("mount option '")
                .hasMessageMatching(".*(leave the option out|use |mount it anew|name the directory).*");
    }

    @Test
    void shouldHaveNoNameInBothTables() {
        assertThat(OtherOptions.names()).doesNotContainAnyElementsOf(MountOptions.keys());
    }
}
