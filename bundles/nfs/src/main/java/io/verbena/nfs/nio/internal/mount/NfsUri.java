package io.verbena.nfs.nio.internal.mount;

import io.verbena.nfs.MountOption;
import io.verbena.nfs.MountOptions;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The parts of a URI of this scheme: {@code nfs+rdma://server:port/path?options}, or {@code nfs+rdma:NAME:/path} for a
 * mount with a name.
 *
 * @param mount the mount's name, or null
 * @param server null if {@code mount} is given
 * @param export a path that ends with no slash, unless it is the root
 * @param options the mount's options, the port among them
 */
public record NfsUri(String mount, String server, String export, MountOptions options) {
    public static final String SCHEME = "nfs+rdma";

    public static NfsUri parse(URI uri, Map<String, ?> more) {
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
    public String source() {
        return mount != null ? mount : server + ":" + export;
    }

    /** Whether this URI lies within the file system of another URI. */
    public boolean isWithin(NfsUri root) {
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

    /** This URI with an explicit port, so that URIs of one meaning are equal. */
    public NfsUri explicit() {
        return mount != null ? this : withPort(port());
    }

    /** The path within the file system of another URI. */
    public String pathWithin(NfsUri root) {
        if (mount != null || root.export.equals("/")) {
            return export;
        }
        String path = export.substring(root.export.length());
        return path.isEmpty() ? "/" : path;
    }

    /** The URI of a path in the file system of this URI. It holds each octet of the path. */
    public URI of(String path) {
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
