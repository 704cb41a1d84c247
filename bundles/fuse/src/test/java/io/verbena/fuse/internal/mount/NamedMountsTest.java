package io.verbena.fuse.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.nfs.Mount;
import io.verbena.runtime.SystemRuntime;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NamedMountsTest {
    private final NamedMounts mounts = new NamedMounts(new SystemRuntime());
    private final MountSource source = mounts.source("docs", Duration.ZERO);

    private static Mount mount(String links) {
        return (Mount) Proxy.newProxyInstance(
                Mount.class.getClassLoader(),
                new Class<?>[] {Mount.class},
                (self, method, args) -> switch (method.getName()) {
                    case "settings" -> Map.of("links", links);
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == args[0];
                    default -> throw new AssertionError(method);
                });
    }

    /** A link within a path would be followed as the user of the mount, and not by the kernel as who uses it. */
    @Test
    void shouldRefuseAMountThatFollowsLinksAlsoInThePlaceOfAnother() throws IOException {
        Mount follows = mount("on");
        mounts.add("docs", follows);
        assertThatThrownBy(source::get)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("'docs'")
                .hasMessageContaining("links=off");
        mounts.remove(follows);
        Mount right = mount("off");
        mounts.add("docs", right);
        assertThat(source.get()).isSameAs(right);
        mounts.remove(right);
        mounts.add("docs", follows);
        assertThatThrownBy(() -> source.successor(right)).hasMessageContaining("links=off");
    }
}
