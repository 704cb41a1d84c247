package io.verbena.cli.internal;

import io.verbena.cli.CommandFailure;
import io.verbena.cli.ExitStatus;
import io.verbena.cli.Failures;
import io.verbena.cli.Text;
import io.verbena.nfs.Export;
import io.verbena.text.LocalNames;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.karaf.shell.support.CommandException;
import org.osgi.service.cm.ConfigurationAdmin;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Creates, finds and removes the exports of this host. May be called from any thread. */
@Component(service = Exports.class)
public final class Exports {
    private static final Duration SERVICE_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration LISTEN_TIMEOUT = Duration.ofSeconds(30);

    private final FactoryConfigurations configurations;
    private final NamedServices<Export> services = new NamedServices<>();

    @Activate
    public Exports(@Reference ConfigurationAdmin admin) {
        configurations = new FactoryConfigurations(admin, Export.PID, Export.NAME);
    }

    @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
    void addExport(Export export) {
        services.add(export.name(), export);
    }

    void removeExport(Export export) {
        services.remove(export.name(), export);
    }

    /** Returns all exports, sorted by name. */
    public List<Export> all() {
        return services.all();
    }

    /**
     * Exports a directory and waits until the export listens. If it cannot listen, the export is removed completely.
     */
    public Export export(ExportRequest request) throws IOException, InterruptedException, CommandException {
        String name = request.name();
        if (configurations.contains(name) || services.find(name).isPresent()) {
            throw new CommandException("there is an export '" + Text.printable(name)
                    + "' already: choose another with --name, or nfs:unexport it first");
        }
        configurations.create(name, request.configuration());
        boolean listening = false;
        try {
            Export export = services.await(name, found -> true, SERVICE_TIMEOUT)
                    .orElseThrow(() -> new CommandFailure(
                            ExitStatus.NO_CONNECTION,
                            "cannot export " + LocalNames.shown(request.directory())
                                    + ": no NFS server took the configuration; is verbena-nfs41-server started?"));
            export.awaitListening(LISTEN_TIMEOUT);
            listening = true;
            return export;
        } catch (IOException e) {
            throw Failures.about("cannot export " + LocalNames.shown(request.directory()), e);
        } finally {
            if (!listening) {
                withdraw(name);
            }
        }
    }

    /** Removes an export, and waits until it has ended. */
    public void unexport(String name) throws IOException, InterruptedException, CommandException {
        if (!configurations.contains(name) && services.find(name).isEmpty()) {
            List<String> names = services.names();
            throw new CommandFailure(
                    ExitStatus.NOT_FOUND,
                    "no export '" + Text.printable(name) + "': "
                            + (names.isEmpty() ? "there is none" : "there is " + String.join(", ", names)));
        }
        withdraw(name);
    }

    private void withdraw(String name) throws IOException, InterruptedException, CommandException {
        configurations.delete(name);
        if (!services.awaitGone(name, SERVICE_TIMEOUT)) {
            throw new CommandException("export '" + Text.printable(name) + "' is still there "
                    + SERVICE_TIMEOUT.toSeconds() + " s after its configuration was deleted");
        }
    }
}
