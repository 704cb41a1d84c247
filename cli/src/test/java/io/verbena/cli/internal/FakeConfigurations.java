package io.verbena.cli.internal;

import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Dictionary;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;

/** Factory configurations in memory. The test itself creates the services of the configurations. */
final class FakeConfigurations {
    private final Map<String, Dictionary<String, Object>> configurations = new ConcurrentSkipListMap<>();
    private final BiConsumer<String, Dictionary<String, Object>> onUpdate;
    private final Consumer<String> onDelete;

    /**
     * Creates an empty set of configurations.
     *
     * @param onUpdate receives the PID and the properties of an updated configuration
     * @param onDelete receives the PID of a deleted configuration
     */
    FakeConfigurations(BiConsumer<String, Dictionary<String, Object>> onUpdate, Consumer<String> onDelete) {
        this.onUpdate = onUpdate;
        this.onDelete = onDelete;
    }

    Map<String, Dictionary<String, Object>> all() {
        return Collections.unmodifiableMap(configurations);
    }

    /** Deletes a configuration without a notification. */
    void forget(String pid) {
        configurations.remove(pid);
    }

    ConfigurationAdmin admin() {
        return proxy(ConfigurationAdmin.class, (method, arguments) -> switch (method) {
            case "getFactoryConfiguration" -> configuration(arguments[0] + "~" + arguments[1]);
            case "listConfigurations" -> list((String) arguments[0]);
            default -> throw new AssertionError(method);
        });
    }

    private Configuration[] list(String filter) {
        return configurations.keySet().stream()
                .filter(pid -> filter.equals("(service.factoryPid=" + pid.substring(0, pid.indexOf('~')) + ")"))
                .map(this::configuration)
                .toArray(Configuration[]::new);
    }

    @SuppressWarnings("unchecked") // the arguments of the proxy have the type Object
    private Configuration configuration(String pid) {
        return proxy(Configuration.class, (method, arguments) -> switch (method) {
            case "getPid" -> pid;
            case "getProperties" -> configurations.get(pid);
            case "update" -> update(pid, (Dictionary<String, Object>) arguments[0]);
            case "delete" -> delete(pid);
            default -> throw new AssertionError(method);
        });
    }

    private Object update(String pid, Dictionary<String, Object> properties) {
        configurations.put(pid, properties);
        onUpdate.accept(pid, properties);
        return null;
    }

    private Object delete(String pid) {
        configurations.remove(pid);
        onDelete.accept(pid);
        return null;
    }

    @FunctionalInterface
    private interface Handler {
        Object call(String method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> handler.call(method.getName(), arguments)));
    }
}
