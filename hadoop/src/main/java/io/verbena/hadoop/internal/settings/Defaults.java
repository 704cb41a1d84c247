package io.verbena.hadoop.internal.settings;

import java.net.URL;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;

/** Values that the jar gives to keys of Hadoop's own, where the site has given them none. Stateless. */
public final class Defaults {
    private Defaults() {}

    /**
     * Has all configurations of the process read a resource, unless one of its keys is set already: Hadoop reads it
     * behind core-site.xml, whose values it would replace. Some programs fail where a resource is missing, so it is
     * added only where every configuration finds it.
     */
    public static void add(String resource) {
        ClassLoader ofHadoop = Configuration.class.getClassLoader();
        URL found = ofHadoop == null ? null : ofHadoop.getResource(resource);
        if (found != null && !isSet(found)) {
            Configuration.addDefaultResource(resource);
        }
    }

    private static boolean isSet(URL resource) {
        Configuration site = new Configuration();
        Configuration added = new Configuration(false);
        added.addResource(resource);
        for (Map.Entry<String, String> each : added) {
            if (site.get(each.getKey()) != null) {
                return true;
            }
        }
        return false;
    }
}
