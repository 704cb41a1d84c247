package io.verbena.cli.internal;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.osgi.framework.FrameworkUtil;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;

/** Manages the named configurations of one factory PID. */
final class FactoryConfigurations {
    private final ConfigurationAdmin admin;
    private final String factoryPid;
    private final String nameKey;

    /**
     * Creates a manager.
     *
     * @param nameKey the key whose value is the name of a configuration; without a value, the last part of the PID is
     *     the name
     */
    FactoryConfigurations(ConfigurationAdmin admin, String factoryPid, String nameKey) {
        this.admin = admin;
        this.factoryPid = factoryPid;
        this.nameKey = nameKey;
    }

    void create(String name, Map<String, Object> properties) throws IOException {
        Configuration configuration = admin.getFactoryConfiguration(factoryPid, name, "?");
        Map<String, Object> named = new LinkedHashMap<>(properties);
        named.put(nameKey, name);
        configuration.update(FrameworkUtil.asDictionary(named));
    }

    boolean delete(String name) throws IOException {
        Optional<Configuration> found = find(name);
        if (found.isPresent()) {
            found.get().delete();
        }
        return found.isPresent();
    }

    boolean contains(String name) throws IOException {
        return find(name).isPresent();
    }

    /** Returns a value of a configuration as text; empty if there is no value. */
    Optional<String> value(String name, String key) throws IOException {
        return find(name)
                .map(configuration -> configuration.getProperties().get(key))
                .map(Object::toString);
    }

    private Optional<Configuration> find(String name) throws IOException {
        for (Configuration configuration : all()) {
            if (name(configuration).equals(name)) {
                return Optional.of(configuration);
            }
        }
        return Optional.empty();
    }

    private List<Configuration> all() throws IOException {
        try {
            Configuration[] found =
                    admin.listConfigurations("(" + ConfigurationAdmin.SERVICE_FACTORYPID + "=" + factoryPid + ")");
            return found == null ? List.of() : List.of(found);
        } catch (InvalidSyntaxException e) {
            throw new IllegalArgumentException(e);
        } catch (IllegalStateException e) {
            throw new IOException("Configuration Admin has gone: start its bundle, then run it again", e);
        }
    }

    private String name(Configuration configuration) {
        Object name = configuration.getProperties().get(nameKey);
        String pid = configuration.getPid();
        return name != null ? name.toString() : pid.substring(pid.indexOf('~') + 1);
    }
}
