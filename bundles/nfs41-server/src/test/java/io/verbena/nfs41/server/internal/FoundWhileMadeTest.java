package io.verbena.nfs41.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.host.Directories;
import io.verbena.nfs41.Attribute;
import io.verbena.nfs41.Attributes;
import io.verbena.nfs41.OpenDelegation;
import io.verbena.nfs41.OpenHow;
import io.verbena.nfs41.Status;
import io.verbena.nfs41.server.internal.ops.ExportSettings;
import io.verbena.nfs41.server.internal.testing.ManualClock;
import io.verbena.nfs41.server.internal.vfs.Intercepted;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** A file that another client opens as soon as it has a name. */
class FoundWhileMadeTest extends DelegationFixture {
    private Granted found;
    private boolean finds;

    @Override
    NfsServer server(ExportSettings settings) throws Exception {
        return new NfsServer(
                settings,
                state,
                memory,
                path -> Intercepted.directory(Directories.open(path), this::intercept),
                UnaryOperator.identity(),
                new ManualClock(clock::get));
    }

    private Object intercept(Object target, String method, Intercepted.Call real) throws Throwable {
        Object made = real.make();
        if (method.equals("createFile") && finds) {
            finds = false;
            found = open(holder, "new", BOTH);
        }
        return made;
    }

    /** Its maker would be told to try again, and that the file exists then. */
    @Test
    void shouldNotPutTheMakerOfAFileOff() throws Exception {
        finds = true;
        Attributes mode = Attributes.builder().put(Attribute.MODE, 0644).build();
        assertThat(other.statusOfOpen("new", BOTH, 0, new OpenHow.Guarded(mode)))
                .isEqualTo(Status.NFS4_OK);
        assertThat(found.delegation()).isEqualTo(new OpenDelegation.None());
        assertThat(open(holder, "another", BOTH).delegation()).isInstanceOf(OpenDelegation.ForWriting.class);
    }
}
