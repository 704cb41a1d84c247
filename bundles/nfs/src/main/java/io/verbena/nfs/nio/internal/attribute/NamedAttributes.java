package io.verbena.nfs.nio.internal.attribute;

import io.verbena.nfs.nio.internal.path.NfsPath;
import java.io.IOException;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.UserPrincipal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads and sets attributes by name, like {@code posix:owner,size}. */
public final class NamedAttributes {
    /** The views that there are. */
    public static final Set<String> VIEWS = Set.of(BasicView.NAME, PosixView.NAME, OwnerView.NAME);

    private static final Map<String, Function<PosixAttributes, Object>> OF_BASIC = Map.of(
            "size", PosixAttributes::size,
            "creationTime", PosixAttributes::creationTime,
            "lastAccessTime", PosixAttributes::lastAccessTime,
            "lastModifiedTime", PosixAttributes::lastModifiedTime,
            "fileKey", PosixAttributes::fileKey,
            "isDirectory", PosixAttributes::isDirectory,
            "isRegularFile", PosixAttributes::isRegularFile,
            "isSymbolicLink", PosixAttributes::isSymbolicLink,
            "isOther", PosixAttributes::isOther);

    private static final Map<String, Function<PosixAttributes, Object>> OF_OWNER =
            Map.of("owner", PosixAttributes::owner);

    private static final Map<String, Function<PosixAttributes, Object>> OF_POSIX = posix();

    private NamedAttributes() {}

    private static Map<String, Function<PosixAttributes, Object>> posix() {
        Map<String, Function<PosixAttributes, Object>> all = new TreeMap<>(OF_BASIC);
        all.putAll(OF_OWNER);
        all.put("group", PosixAttributes::group);
        all.put("permissions", PosixAttributes::permissions);
        return all;
    }

    /** {@code view:names}; the view is {@code basic} if none is given. */
    private record Spec(String view, String names) {
        static Spec of(String text) {
            int colon = text.indexOf(':');
            String view = colon < 0 ? BasicView.NAME : text.substring(0, colon);
            if (!VIEWS.contains(view)) {
                // as Files.readAttributes and setAttribute specify for a view that is not available
                throw new UnsupportedOperationException("there is no attribute view '" + view + "' here");
            }
            return new Spec(view, text.substring(colon + 1));
        }

        Map<String, Function<PosixAttributes, Object>> known() {
            return switch (view) {
                case PosixView.NAME -> OF_POSIX;
                case OwnerView.NAME -> OF_OWNER;
                default -> OF_BASIC;
            };
        }
    }

    public static Map<String, Object> read(NfsPath path, String attributes, boolean follows) throws IOException {
        Spec spec = Spec.of(attributes);
        Map<String, Function<PosixAttributes, Object>> known = spec.known();
        List<String> wanted = new ArrayList<>();
        for (String name : spec.names().split(",", -1)) {
            if (name.equals("*")) {
                wanted.addAll(known.keySet());
            } else if (known.containsKey(name)) {
                wanted.add(name);
            } else {
                throw new IllegalArgumentException("there is no attribute '" + spec.view() + ":" + name + "'");
            }
        }
        PosixAttributes all = new PosixView(() -> path, follows).readAttributes();
        Map<String, Object> values = new LinkedHashMap<>();
        wanted.forEach(name -> values.put(name, known.get(name).apply(all)));
        return values;
    }

    public static void set(NfsPath path, String attribute, Object value, boolean follows) throws IOException {
        Spec spec = Spec.of(attribute);
        PosixView view = new PosixView(() -> path, follows);
        if (!spec.known().containsKey(spec.names())) {
            throw new IllegalArgumentException("there is no attribute '" + attribute + "'");
        }
        switch (spec.names()) {
            case "lastModifiedTime" -> view.setTimes((FileTime) value, null, null);
            case "lastAccessTime" -> view.setTimes(null, (FileTime) value, null);
            case "creationTime" -> view.setTimes(null, null, (FileTime) value);
            case "permissions" -> view.setPermissions(Modes.permissions(value));
            case "owner" -> view.setOwner((UserPrincipal) value);
            case "group" -> view.setGroup((GroupPrincipal) value);
            default -> throw new IllegalArgumentException("attribute '" + attribute + "' cannot be set");
        }
    }
}
