package io.verbena.verbs.natives.internal.provider;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.MissingProvider;
import io.verbena.verbs.natives.internal.CapturedLog;
import io.verbena.verbs.natives.internal.library.FakeLibrary;
import io.verbena.verbs.natives.internal.library.NativeException;
import io.verbena.verbs.natives.internal.library.NativeLibraries;
import io.verbena.verbs.natives.internal.library.Rdmacm;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.ComponentContext;

/** What is enabled and logged, by the result of loading the libraries. */
final class NativeStarterTest {
    private final List<Object> enabled = new ArrayList<>();
    private final List<MissingProvider> missing = new ArrayList<>();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private final FakeLibrary cm = new FakeLibrary();

    private ComponentContext context() {
        return (ComponentContext) Proxy.newProxyInstance(
                ComponentContext.class.getClassLoader(),
                new Class<?>[] {ComponentContext.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("getBundleContext")) {
                        return bundle();
                    }
                    assertThat(method.getName()).isEqualTo("enableComponent");
                    enabled.add(arguments[0]);
                    return null;
                });
    }

    private BundleContext bundle() {
        return (BundleContext) Proxy.newProxyInstance(
                BundleContext.class.getClassLoader(),
                new Class<?>[] {BundleContext.class},
                (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("registerService");
                    missing.add((MissingProvider) arguments[1]);
                    return null;
                });
    }

    private void start(NativeStarter.Loader loader) {
        assertThat(new NativeStarter(context(), loader)).isNotNull();
    }

    @Test
    void shouldEnableTheProviderWhereTheLibrariesLoad() {
        start(() -> cm.as(Rdmacm.class));

        assertThat(cm.calls("createEventChannel")).isEqualTo(1);
        assertThat(cm.calls("destroyEventChannel")).isEqualTo(1);
        assertThat(enabled).containsExactly("io.verbena.verbs.natives.internal.NativeProvider");
        assertThat(log.toString()).isEmpty();
        assertThat(missing).isEmpty();
    }

    @Test
    void shouldSayInOneLineThatThereIsNoDevice() {
        cm.failing("createEventChannel", new NativeException("rdma_create_event_channel", 19, "No such device"));
        start(() -> cm.as(Rdmacm.class));

        assertThat(enabled).isEmpty();
        assertThat(log.toString().lines())
                .singleElement()
                .asString()
                .contains("INFO")
                .contains("no RDMA device that can be used")
                .contains("rdma_create_event_channel failed: No such device (errno 19)");
        assertThat(missing).singleElement().satisfies(each -> {
            assertThat(each.name()).isEqualTo("native");
            assertThat(each.reason()).startsWith("this host has no RDMA device that can be used");
        });
    }

    @Test
    void shouldLeaveTheProviderOutWithOneLineWhereTheLibrariesAreMissing() {
        start(() -> NativeLibraries.load("libibverbs.so.99", "librdmacm.so.99").cm());

        assertThat(enabled).isEmpty();
        assertThat(log.toString().lines())
                .singleElement()
                .asString()
                .contains("INFO")
                .contains("The provider native is not there: RDMA devices cannot be used:"
                        + " install libibverbs1 librdmacm1 ibverbs-providers (libibverbs.so.99");
        assertThat(missing).singleElement().satisfies(each -> assertThat(each.reason())
                .startsWith("RDMA devices cannot be used: install"));
    }
}
