package io.verbena.nfs.nio.internal;

import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.StringJoiner;

/**
 * What a URI of this scheme names: {@code nfs+rdma://server:port/path?options}, or {@code nfs+rdma:NAME:/path} of a mount
 * that has a name.
 *
 * @param mount the mount's name, or null
 * @param server null where there is a mount's name
 * @param export a path without a slash at its end, but for the root's
 * @param options with the port
 */
record NfsUri(String mount, String server, String export, MountOptions options) {
    static final String SCHEME = "nfs+rdma";

    static NfsUri parse(URI uri, Map<String, ?> more) {
        if (!SCHEME.equalsIgnoreCase(uri.getScheme())) {
            throw new IllegalArgumentException("'" + uri + "' does not begin with " + SCHEME + ":");
        }
        if (uri.getRawFragment() != null) {
            throw new IllegalArgumentException("'" + uri + "' has a fragment, which means nothing here");
        }
        return uri.isOpaque() ? ofMount(uri) : ofServer(uri, more);
    }

    private static NfsUri ofMount(URI uri) {
        String text = PercentEncoding.decode(uri.getRawSchemeSpecificPart());
        int colon = text.indexOf(':');
        String name = colon < 0 ? text : text.substring(0, colon);
        String path = colon < 0 ? "/" : text.substring(colon + 1);
        if (name.isEmpty() || !path.startsWith("/")) {
            throw new IllegalArgumentException(
                    "'" + uri + "' names no path of a mount, like " + SCHEME + ":work:/dir/file");
        }
        return new NfsUri(name, null, path, MountOptions.DEFAULTS);
    }

    private static NfsUri ofServer(URI uri, Map<String, ?> more) {
        if (uri.getHost() == null || uri.getRawUserInfo() != null) {
            throw new IllegalArgumentException(
                    "'" + uri + "' names no server, like " + SCHEME + "://server:20049/export?rsize=1048576");
        }
        StringJoiner options = new StringJoiner(",");
        if (uri.getQuery() != null) {
            options.add(uri.getQuery().replace('&', ','));
        }
        more.forEach((key, value) -> options.add(flagOrValue(key, value)));
        if (uri.getPort() >= 0) {
            options.add(MountOption.PORT.key() + "=" + uri.getPort());
        }
        String host = uri.getHost();
        String server = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        return new NfsUri(
                null,
                server,
                trimmed(PercentEncoding.decode(uri.getRawPath())),
                MountOptions.parse(options.toString()));
    }

    private static String flagOrValue(String key, Object value) {
        boolean flag = value == null || value.equals("") || value.equals(true);
        return flag ? key : key + "=" + value;
    }

    private static String trimmed(String path) {
        String trimmed = path.replaceAll("/+", "/");
        boolean trailing = trimmed.endsWith("/") && trimmed.length() > 1;
        return trimmed.isEmpty() ? "/" : trailing ? trimmed.substring(0, trimmed.length() - 1) : trimmed;
    }

    int port() {
        return options.number(MountOption.PORT);
    }

    boolean hasOptions() {
        Map<MountOption, String> given = options.given();
        given.remove(MountOption.PORT);
        return !given.isEmpty();
    }

    /** {@code host:/export}, or {@code NAME} of a mount. */
    String source() {
        return mount != null ? mount : server + ":" + export;
    }

    /** Whether it names something within a file system of that URI. */
    boolean isWithin(NfsUri root) {
        if (mount != null || root.mount != null) {
            return mount != null && mount.equals(root.mount);
        }
        boolean sameServer = server.equalsIgnoreCase(root.server) && port() == root.port();
        boolean below = root.export.equals("/") || export.equals(root.export) || export.startsWith(root.export + "/");
        return sameServer && below && (!hasOptions() || options.equals(root.withPort(port()).options));
    }

    private NfsUri withPort(int port) {
        String text = options + "," + MountOption.PORT.key() + "=" + port;
        return new NfsUri(mount, server, export, MountOptions.parse(text));
    }

    /** The same with the port said, so that those that mean the same are equal. */
    NfsUri explicit() {
        return mount != null ? this : withPort(port());
    }

    /** The path within a file system of that URI. */
    String pathWithin(NfsUri root) {
        if (mount != null || root.export.equals("/")) {
            return export;
        }
        String path = export.substring(root.export.length());
        return path.isEmpty() ? "/" : path;
    }

    /** Of a path in a file system of this URI: each octet of the path is in it. */
    URI of(String path) {
        if (mount != null) {
            return URI.create(SCHEME + ":" + PercentEncoding.encode(mount + ":" + path));
        }
        Map<MountOption, String> given = options.given();
        String port = given.remove(MountOption.PORT);
        String whole = export.equals("/") ? path : path.equals("/") ? export : export + path;
        try {
            String query = hasOptions() ? withoutPort() : null;
            URI root = new URI(SCHEME, null, server, port == null ? -1 : port(), null, query, null);
            String rawQuery = query == null ? "" : "?" + root.getRawQuery();
            return URI.create(SCHEME + "://" + root.getRawAuthority() + PercentEncoding.encode(whole) + rawQuery);
        } catch (URISyntaxException e) {
            throw new IllegalStateException("a URI of " + source() + " and " + path, e);
        }
    }

    private String withoutPort() {
        StringJoiner kept = new StringJoiner("&");
        for (String part : options.toString().split(",", -1)) {
            if (!part.startsWith(MountOption.PORT.key() + "=")) {
                kept.add(part);
            }
        }
        return kept.toString();
    }
}
