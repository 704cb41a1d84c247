package io.verbena.management.internal;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.verbena.rpcrdma.ConnectionListener;
import io.verbena.rpcrdma.ConnectionMonitor;
import io.verbena.rpcrdma.ConnectionStatus;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** Registers an MBean for each connection of the transport, as long as the connection exists. */
@Component(immediate = true, service = ConnectionListener.class)
public final class ConnectionBeans implements ConnectionListener {
    private final MBeans beans = new MBeans("io.verbena:type=Connection,id=");
    private final AtomicReference<ConnectionMonitor> monitor = new AtomicReference<>();

    @GuardedBy("beans")
    private boolean active = true;

    @Activate
    public ConnectionBeans() {}

    @Reference(
            cardinality = ReferenceCardinality.OPTIONAL,
            policy = ReferencePolicy.DYNAMIC,
            policyOption = ReferencePolicyOption.GREEDY)
    void setMonitor(ConnectionMonitor come) {
        monitor.set(come);
        connectionsChanged();
    }

    void unsetMonitor(ConnectionMonitor gone) {
        if (monitor.compareAndSet(gone, null)) {
            connectionsChanged();
        }
    }

    @Override
    public void connectionsChanged() {
        synchronized (beans) { // updates run one after the other, so that a later update sees a later list
            Set<String> present = new HashSet<>();
            ConnectionMonitor asked = monitor.get();
            if (active && asked != null) {
                for (ConnectionStatus status : asked.connections()) {
                    String id = Long.toString(status.id());
                    present.add(id);
                    if (!beans.contains(id)) {
                        beans.add(id, new ConnectionBean(status, () -> find(status.id())));
                    }
                }
            }
            for (String id : beans.keys()) {
                if (!present.contains(id)) {
                    beans.remove(id);
                }
            }
        }
    }

    private Optional<ConnectionStatus> find(long id) {
        ConnectionMonitor asked = monitor.get();
        return asked == null
                ? Optional.empty()
                : asked.connections().stream()
                        .filter(status -> status.id() == id)
                        .findFirst();
    }

    @Deactivate
    void deactivate() {
        synchronized (beans) {
            active = false;
            beans.removeAll();
        }
    }
}
