package io.verbena.management.internal;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The MBeans of one kind in the platform's server, each registered for as long as what it tells of is there. Thread safe. */
final class MBeans {
    private static final Logger LOG = LoggerFactory.getLogger(MBeans.class);

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final String prefix;
    // guarded by this
    private final Map<String, Object> registered = new HashMap<>();

    /**
     * @param prefix of the names: {@code io.verbena:type=Mount,name=}
     */
    MBeans(String prefix) {
        this.prefix = prefix;
    }

    /** Registers one, in the place of another of that name perhaps. */
    synchronized void add(String key, Object bean) {
        if (registered.containsKey(key)) {
            remove(key);
        }
        try {
            server.registerMBean(bean, name(key));
            registered.put(key, bean);
        } catch (InstanceAlreadyExistsException e) {
            LOG.warn("there is an MBean {} already, of somebody else", prefix + key, e);
        } catch (JMException e) {
            LOG.warn("cannot register the MBean {}", prefix + key, e);
        }
    }

    /** Takes one away, unless another is in its place already. */
    synchronized void remove(String key, Object bean) {
        if (registered.get(key) == bean) {
            remove(key);
        }
    }

    synchronized void remove(String key) {
        if (registered.remove(key) == null) {
            return;
        }
        try {
            server.unregisterMBean(name(key));
        } catch (InstanceNotFoundException e) {
            LOG.debug("somebody else has taken the MBean {} away", prefix + key, e);
        } catch (JMException e) {
            LOG.warn("cannot take the MBean {} away", prefix + key, e);
        }
    }

    synchronized Iterable<String> keys() {
        return Set.copyOf(registered.keySet());
    }

    synchronized boolean contains(String key) {
        return registered.containsKey(key);
    }

    void removeAll() {
        keys().forEach(this::remove);
    }

    /** Names of mounts are letters, digits, dots and the like where the shell made them, and anything in a file. */
    private ObjectName name(String key) throws JMException {
        boolean plain = key.chars().noneMatch(c -> ",=:\"*?\n".indexOf(c) >= 0);
        return new ObjectName(prefix + (plain ? key : ObjectName.quote(key)));
    }
}
