package io.verbena.cli.internal.nfs.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class MountServiceCommandTest {
    @Test
    void shouldTakeWordsOfTheCommand() {
        assertThat(MountServiceCommand.command("/etc/m", "-o port=1,ro '[::1]:/a b' docs"))
                .isEqualTo("nfs:mount --ensure -o port=1,ro \\[::1\\]:/a\\ b docs");
        assertThat(MountServiceCommand.command("/etc/m", "storage")).isEqualTo("nfs:mount --ensure storage");
    }

    @Test
    void shouldFindALineOfFstabByItsDirectory() {
        assertThat(MountServiceCommand.command("/etc/$m", "server:/e\t/mnt/\\040a  nfs4 hard 0 0"))
                .isEqualTo("nfs:mount --ensure --fstab /etc/\\$m /mnt/\\ a");
    }

    @Test
    void shouldRunOneCommandOnly() {
        assertThatThrownBy(() -> MountServiceCommand.command("/etc/m", "server:/docs docs; shell:exec id"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("';'");
    }
}
