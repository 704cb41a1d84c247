package io.verbena.management.internal;

import io.verbena.nfs.Mount;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Registers an MBean for each mount, as long as the mount exists. */
@Component(
        immediate = true,
        service = {})
public final class MountBeans {
    private final MBeans beans = new MBeans("io.verbena:type=Mount,name=");
    private final Map<Mount, MountBean> byMount = new ConcurrentHashMap<>();

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addMount(Mount mount) {
        MountBean bean = new MountBean(mount);
        byMount.put(mount, bean);
        beans.add(mount.name(), bean);
    }

    void removeMount(Mount mount) {
        MountBean bean = byMount.remove(mount);
        if (bean != null) {
            beans.remove(mount.name(), bean);
        }
    }

    @Deactivate
    void deactivate() {
        beans.removeAll();
        byMount.clear();
    }
}
