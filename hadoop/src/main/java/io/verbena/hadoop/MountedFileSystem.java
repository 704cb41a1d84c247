package io.verbena.hadoop;

import io.verbena.hadoop.internal.Figures;
import io.verbena.hadoop.internal.FileOpener;
import io.verbena.hadoop.internal.mount.Names;
import io.verbena.hadoop.internal.mount.SharedMounts;
import io.verbena.hadoop.internal.settings.Defaults;
import io.verbena.hadoop.internal.settings.HadoopVersion;
import io.verbena.hadoop.internal.settings.Setting;
import io.verbena.hadoop.internal.settings.Settings;
import io.verbena.hadoop.internal.tree.RemoteTree;
import io.verbena.hadoop.internal.tree.Statuses;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.security.UserGroupInformation;

/** What a file system has from its initialization to its end: settings, its part of a mount, and what uses it. */
abstract class MountedFileSystem extends FileSystem implements IOStatisticsSource {
    private static final int DEFAULT_PORT = 20049;
    private static final int MAX_PORT = 65_535;

    static {
        // AbstractFileSystem and the committer of a scheme are found by keys alone
        Defaults.add("io/verbena/hadoop/file-context.xml");
        Defaults.add("io/verbena/hadoop/committer.xml");
    }

    final Figures figures = new Figures();
    private URI uri;
    Settings settings;
    UserGroupInformation user;
    private SharedMounts.Part part;
    Statuses statuses;
    RemoteTree tree;
    FileOpener opener;
    private volatile Path workingDirectory;
    private volatile boolean closed;

    @Override
    public void initialize(URI name, Configuration configuration) throws IOException {
        HadoopVersion.check();
        super.initialize(name, configuration);
        setConf(configuration);
        if (name.getHost() == null) {
            throw new IOException(
                    "'" + name + "' names no server, like " + NfsFileSystem.SCHEME + "://server:20049/export");
        }
        if (name.getPort() == 0 || name.getPort() > MAX_PORT) {
            throw new IOException("'" + name + "' has no port that is a number from 1 to " + MAX_PORT);
        }
        uri = URI.create(NfsFileSystem.SCHEME + "://" + name.getAuthority());
        String host = name.getHost().replaceAll("[\\[\\]]", "");
        settings = Settings.of(configuration, host);
        user = UserGroupInformation.getCurrentUser();
        statuses = new Statuses(uri, settings.number(Setting.BLOCK_SIZE), settings.locations(host), this::nameOf);
        part = SharedMounts.acquire(host, name.getPort(), user, settings);
        tree = new RemoteTree(part.mount(), statuses);
        opener = new FileOpener(part.mount(), tree, figures, () -> statistics);
        workingDirectory = getHomeDirectory();
    }

    /**
     * The name of an owner that a server gives: that of the configuration, or of this host. Of several users with one
     * number it is this user, who has to find himself as the owner of what he has made.
     */
    private String nameOf(String owner) {
        String own = user.getShortUserName();
        boolean isOwn = settings.numberOf(own).map(owner::equals).orElseGet(() -> own.equals(Names.user(owner)));
        return isOwn ? own : settings.userOf(owner).orElseGet(() -> Names.user(owner));
    }

    @Override
    public String getScheme() {
        return NfsFileSystem.SCHEME;
    }

    @Override
    public URI getUri() {
        return uri;
    }

    @Override
    protected int getDefaultPort() {
        return DEFAULT_PORT;
    }

    /** Returns null: NFS has no delegation tokens. */
    @Override
    public String getCanonicalServiceName() {
        return null;
    }

    /** Closes the streams that are being written, too. */
    @Override
    public void close() throws IOException {
        try {
            closeWritten();
        } finally {
            closeMount();
        }
    }

    private void closeWritten() throws IOException {
        FileOpener last = opener;
        if (last != null) {
            last.closeWritten();
        }
    }

    private void closeMount() throws IOException {
        try {
            super.close(); // deletes what is to be deleted on exit
        } finally {
            closed = true;
            SharedMounts.Part last = part;
            if (last != null) {
                last.close();
            }
        }
    }

    /** The path with scheme and server; fails once the file system is closed. */
    final Path absolute(Path path) throws IOException {
        if (closed) {
            throw new IOException("The file system " + uri + " is closed");
        }
        return makeQualified(path);
    }

    @Override
    public void setWorkingDirectory(Path directory) {
        workingDirectory = makeQualified(directory);
    }

    @Override
    public Path getWorkingDirectory() {
        return workingDirectory;
    }

    @Override
    public Path getHomeDirectory() {
        return makeQualified(new Path(settings.get(Setting.HOME) + "/" + user.getShortUserName()));
    }

    @Override
    @Deprecated
    @SuppressWarnings("InlineMeSuggester") // Hadoop calls it
    public long getDefaultBlockSize() {
        return settings.number(Setting.BLOCK_SIZE);
    }

    @Override
    public boolean hasPathCapability(Path path, String capability) throws IOException {
        return switch (capability.toLowerCase(Locale.ROOT)) {
            case CommonPathCapabilities.FS_APPEND,
                    CommonPathCapabilities.FS_PERMISSIONS,
                    CommonPathCapabilities.FS_TRUNCATE,
                    CommonPathCapabilities.ETAGS_AVAILABLE,
                    CommonPathCapabilities.VIRTUAL_BLOCK_LOCATIONS -> true;
            case CommonPathCapabilities.FS_CHECKSUMS ->
                !settings.get(Setting.CHECKSUM).equals("none");
            default -> super.hasPathCapability(path, capability);
        };
    }

    @Override
    public IOStatistics getIOStatistics() {
        return figures.getIOStatistics();
    }

    @Override
    public String toString() {
        return "NfsFileSystem of " + uri + " " + figures.getIOStatistics();
    }
}
