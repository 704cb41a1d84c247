package io.verbena.management.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
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

/**
 * The MBeans of one kind in the platform's MBean server. Each bean is registered as long as its object exists. Thread
 * safe.
 */
final class MBeans {
    private static final Logger LOG = LoggerFactory.getLogger(MBeans.class);

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final String prefix;

    @GuardedBy("this")
    private final Map<String, Object> registered = new HashMap<>();

    /**
     * Creates an empty set of beans.
     *
     * @param prefix the prefix of the names, such as {@code io.verbena:type=Mount,name=}
     */
    MBeans(String prefix) {
        this.prefix = prefix;
    }

    /** Registers an MBean, and replaces a bean of the same name. */
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

    /** Unregisters an MBean, unless another bean has replaced it. */
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

    /**
     * Returns the object name of a key. The shell restricts the names of mounts to letters, digits, dots and similar
     * characters. A configuration file may use any name.
     */
    private ObjectName name(String key) throws JMException {
        boolean plain = key.chars().noneMatch(c -> ",=:\"*?\n".indexOf(c) >= 0);
        return new ObjectName(prefix + (plain ? key : ObjectName.quote(key)));
    }
}
