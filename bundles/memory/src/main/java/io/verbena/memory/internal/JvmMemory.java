package io.verbena.memory.internal;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;

/** The direct memory that the JVM gives. */
final class JvmMemory {
    /** The part that is left to other users: the channels of the JDK need some. */
    private static final int OTHERS = 8;

    private JvmMemory() {}

    /** The limit where none is configured: seven eighths of the memory that the JVM gives. */
    static long defaultLimit() {
        long most = maxDirectMemory();
        return most - most / OTHERS;
    }

    /** {@code -XX:MaxDirectMemorySize}, or the heap's limit where that is not set, as the JVM has it. */
    static long maxDirectMemory() {
        try {
            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
            ObjectName name = new ObjectName("com.sun.management:type=HotSpotDiagnostic");
            Object option = server.invoke(
                    name, "getVMOption", new Object[] {"MaxDirectMemorySize"}, new String[] {String.class.getName()});
            long size = Long.parseLong((String) ((CompositeData) option).get("value"));
            return size > 0 ? size : Runtime.getRuntime().maxMemory();
        } catch (JMException | RuntimeException e) { // another JVM
            return Runtime.getRuntime().maxMemory();
        }
    }
}
