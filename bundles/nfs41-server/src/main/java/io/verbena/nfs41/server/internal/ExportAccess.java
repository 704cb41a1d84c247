package io.verbena.nfs41.server.internal;

import io.verbena.nfs41.server.internal.access.AccessRules;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Who may use an export, of a configuration. What makes no sense admits nobody, and is complained of. */
final class ExportAccess {
    private static final Pattern SEPARATOR = Pattern.compile("[,\\s]+");

    private final AccessRules rules;
    private final boolean namesNoHost;
    private String complaint;

    ExportAccess(ExportConfiguration configuration) {
        List<String> hosts = listed(configuration.allow());
        namesNoHost = hosts.isEmpty();
        AccessRules found = AccessRules.THIS_HOST;
        try {
            found = namesNoHost ? found : found.withHosts(hosts);
        } catch (IllegalArgumentException e) {
            complaint = "'allow': " + e.getMessage();
        }
        try {
            found = found.withUsers(listed(configuration.allowUser()));
        } catch (IllegalArgumentException e) {
            complaint = "'allowUser': " + e.getMessage();
        }
        rules = found.withSecure(
                ExportOptions.text(configuration.secure(), "off").equals("on"));
    }

    /** Entries of a list in a configuration, whose file may have it as one text with commas. */
    private static List<String> listed(String[] values) {
        return values == null
                ? List.of()
                : Arrays.stream(values)
                        .flatMap(SEPARATOR::splitAsStream)
                        .filter(entry -> !entry.isEmpty())
                        .toList();
    }

    AccessRules rules() {
        return rules;
    }

    boolean namesNoHost() {
        return namesNoHost;
    }

    /** What is wrong with it. */
    Optional<String> complaint() {
        return Optional.ofNullable(complaint);
    }
}
