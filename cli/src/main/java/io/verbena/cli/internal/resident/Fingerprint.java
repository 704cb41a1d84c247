package io.verbena.cli.internal.resident;

import io.verbena.text.LocalNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.cm.Configuration;
import org.osgi.service.cm.ConfigurationAdmin;

/**
 * The bundles and the configurations of the container, to be compared. A line each. Configurations of which there is a
 * file in etc/ are left out: another thread reads them some time after the start, and no script changes these files.
 */
record Fingerprint(Set<String> lines) {
    Fingerprint {
        lines = Set.copyOf(lines);
    }

    static Fingerprint of(BundleContext context, ConfigurationAdmin admin) throws IOException {
        Set<String> lines = new TreeSet<>();
        for (Bundle bundle : context.getBundles()) {
            boolean isStarted = (bundle.getState() & (Bundle.STARTING | Bundle.ACTIVE)) != 0; // at need, or at once
            lines.add(bundle.getBundleId() + " " + bundle.getVersion() + " " + bundle.getLastModified() + " "
                    + (isStarted ? "started" : bundle.getState()));
        }
        try {
            Configuration[] configurations = admin.listConfigurations(null);
            for (Configuration each : configurations == null ? new Configuration[0] : configurations) {
                if (!hasFile(each.getPid())) {
                    lines.add(each.getPid() + " " + values(each));
                }
            }
        } catch (InvalidSyntaxException e) {
            throw new IllegalArgumentException(e);
        } catch (IllegalStateException e) {
            throw new IOException("Configuration Admin has gone", e);
        }
        return new Fingerprint(lines);
    }

    /** Returns what differs: the numbers of bundles, and the names of configurations. */
    Set<String> differences(Fingerprint other) {
        return Stream.concat(
                        lines.stream().filter(line -> !other.lines.contains(line)),
                        other.lines.stream().filter(line -> !lines.contains(line)))
                .map(line -> line.replaceFirst(" .*", ""))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean hasFile(String pid) {
        Path folder = LocalNames.path(System.getProperty("karaf.etc", "/"));
        return Stream.of(pid, pid.replace('~', '-'))
                .flatMap(name -> Stream.of(name + ".cfg", name + ".config", name + ".json"))
                .anyMatch(file -> Files.exists(folder.resolve(file)));
    }

    private static List<String> values(Configuration configuration) {
        return Collections.list(configuration.getProperties().keys()).stream()
                .sorted()
                .map(key -> key + "="
                        + Arrays.deepToString(
                                new Object[] {configuration.getProperties().get(key)}))
                .toList();
    }
}
