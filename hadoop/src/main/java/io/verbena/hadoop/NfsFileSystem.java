package io.verbena.hadoop;

import static org.apache.hadoop.fs.Options.OpenFileOptions.FS_OPTION_OPENFILE_LENGTH;
import static org.apache.hadoop.fs.Options.OpenFileOptions.FS_OPTION_OPENFILE_READ_POLICY;
import static org.apache.hadoop.fs.Options.OpenFileOptions.FS_OPTION_OPENFILE_STANDARD_OPTIONS;

import io.verbena.hadoop.internal.FileOpener;
import io.verbena.hadoop.internal.mount.Names;
import io.verbena.hadoop.internal.settings.Setting;
import io.verbena.hadoop.internal.stream.ReadPolicy;
import io.verbena.nfs.AttributeChanges;
import java.io.IOException;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.FSBuilderSupport;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.StoreStatisticNames;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;
import org.apache.hadoop.util.functional.RemoteIterators;

/**
 * The tree of an NFSv4.1 server as a file system of Hadoop: {@code nfs+rdma://server:port/export/path}. Keys of the
 * configuration begin with {@code fs.verbena.}. Thread safe.
 */
public final class NfsFileSystem extends MountedFileSystem {
    /** The scheme of URIs. */
    public static final String SCHEME = "nfs+rdma";

    /** Creates a file system for Hadoop, which initializes it. */
    public NfsFileSystem() {}

    @Override
    public FSDataInputStream open(Path path, int bufferSize) throws IOException {
        return open(absolute(path), policy(""), -1);
    }

    private FSDataInputStream open(Path path, ReadPolicy policy, long size) throws IOException {
        statistics.incrementReadOps(1);
        return figures.timed(StoreStatisticNames.OP_OPEN, () -> new FSDataInputStream(opener.open(path, policy, size)));
    }

    private ReadPolicy policy(String list) {
        return ReadPolicy.of(
                list, ReadPolicy.valueOf(settings.get(Setting.READ_POLICY).toUpperCase(Locale.ROOT)));
    }

    @Override
    protected CompletableFuture<FSDataInputStream> openFileWithOptions(Path path, OpenFileParameters parameters)
            throws IOException {
        AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
                parameters.getMandatoryKeys(), FS_OPTION_OPENFILE_STANDARD_OPTIONS, "for " + path);
        Path absolute = absolute(path);
        ReadPolicy policy = policy(parameters.getOptions().get(FS_OPTION_OPENFILE_READ_POLICY, ""));
        FileStatus known = parameters.getStatus();
        long size = known == null
                ? new FSBuilderSupport(parameters.getOptions()).getPositiveLong(FS_OPTION_OPENFILE_LENGTH, -1)
                : known.getLen();
        return LambdaUtils.eval(new CompletableFuture<>(), () -> open(absolute, policy, size));
    }

    @Override
    public FileStatus getFileStatus(Path path) throws IOException {
        Path absolute = absolute(path);
        statistics.incrementReadOps(1);
        return figures.timed(StoreStatisticNames.OP_GET_FILE_STATUS, () -> tree.status(absolute));
    }

    @Override
    public FileStatus[] listStatus(Path path) throws IOException {
        return RemoteIterators.toArray(listStatusIterator(path), new FileStatus[0]);
    }

    @Override
    public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
        Path absolute = absolute(path);
        statistics.incrementReadOps(1);
        return figures.timed(StoreStatisticNames.OP_LIST_STATUS, () -> tree.list(absolute));
    }

    @Override
    protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter) throws IOException {
        RemoteIterator<FileStatus> accepted = RemoteIterators.filteringRemoteIterator(
                listStatusIterator(path), status -> filter.accept(status.getPath()));
        return RemoteIterators.mappingRemoteIterator(accepted, statuses::located);
    }

    @Override
    public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length) throws IOException {
        if (file == null) {
            return null;
        }
        if (start < 0 || length < 0) {
            throw new IllegalArgumentException("a range of " + length + " octets at " + start);
        }
        return statuses.locations(file.getLen(), start, length);
    }

    @Override
    public FileChecksum getFileChecksum(Path path, long length) throws IOException {
        Path absolute = absolute(path);
        String kind = settings.get(Setting.CHECKSUM);
        if (kind.equals("none")) {
            return null;
        }
        statistics.incrementReadOps(1);
        return figures.timed(
                StoreStatisticNames.OP_GET_FILE_CHECKSUM,
                () -> opener.checksum(absolute, length, kind.equals("crc32c")));
    }

    @Override
    public FsStatus getStatus(Path path) throws IOException {
        Path absolute = absolute(path == null ? new Path("/") : path);
        statistics.incrementReadOps(1);
        return figures.timed(StoreStatisticNames.OP_GET_STATUS, () -> tree.space(absolute));
    }

    @Override
    public void access(Path path, FsAction mode) throws IOException {
        Path absolute = absolute(path);
        statistics.incrementReadOps(1);
        figures.timedRun(StoreStatisticNames.OP_ACCESS, () -> tree.requireAccess(absolute, mode));
    }

    @Override
    public Path getEnclosingRoot(Path path) throws IOException {
        return tree.enclosingRoot(absolute(path));
    }

    /** The trash is in the user's home, or at the root of the export, if the home is on another one. */
    @Override
    public Path getTrashRoot(Path path) {
        try {
            Path root = getEnclosingRoot(path);
            if (!root.equals(getEnclosingRoot(getHomeDirectory()))) {
                return new Path(root, TRASH_PREFIX + "/" + user.getShortUserName());
            }
        } catch (IOException e) {
            LOG.warn("The trash of {} is taken for that in the home: {}", path, e.toString());
        }
        return super.getTrashRoot(path);
    }

    // writing

    @Override
    public FSDataOutputStream create(
            Path path,
            FsPermission permission,
            boolean overwrite,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress)
            throws IOException {
        return create(absolute(path), masked(permission), overwrite, true);
    }

    @Override
    public FSDataOutputStream createNonRecursive(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress)
            throws IOException {
        return create(absolute(path), masked(permission), flags.contains(CreateFlag.OVERWRITE), false);
    }

    /** As {@link #create}, for {@code FileContext}, which has masked the permissions by its own mask. */
    @Override
    @Deprecated
    protected FSDataOutputStream primitiveCreate(
            Path path,
            FsPermission permission,
            EnumSet<CreateFlag> flags,
            int bufferSize,
            short replication,
            long blockSize,
            Progressable progress,
            Options.ChecksumOpt checksum)
            throws IOException {
        boolean exists = exists(path);
        CreateFlag.validate(path, exists, flags);
        return exists && flags.contains(CreateFlag.APPEND)
                ? append(path, bufferSize, progress)
                : create(absolute(path), permission, flags.contains(CreateFlag.OVERWRITE), true);
    }

    private FSDataOutputStream create(Path path, FsPermission permission, boolean overwrite, boolean makesParents)
            throws IOException {
        statistics.incrementWriteOps(1);
        int ofParents = makesParents ? masked(FsPermission.getDirDefault()).toShort() : FileOpener.NO_PARENTS;
        return figures.timed(
                StoreStatisticNames.OP_CREATE,
                () -> new FSDataOutputStream(
                        opener.create(path, permission.toShort(), overwrite, ofParents), statistics));
    }

    private FsPermission masked(FsPermission permission) {
        FsPermission given = permission == null ? FsPermission.getFileDefault() : permission;
        return given.applyUMask(FsPermission.getUMask(getConf()));
    }

    @Override
    public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) throws IOException {
        Path absolute = absolute(path);
        statistics.incrementWriteOps(1);
        return figures.timed(StoreStatisticNames.OP_APPEND, () -> {
            FileOpener.Appending appending = opener.append(absolute);
            return new FSDataOutputStream(appending.stream(), statistics, appending.position());
        });
    }

    @Override
    public boolean mkdirs(Path path, FsPermission permission) throws IOException {
        makeDirectories(absolute(path), masked(permission == null ? FsPermission.getDirDefault() : permission), true);
        return true;
    }

    /** As {@link #mkdirs}, for {@code FileContext}, which has masked the permissions by its own mask. */
    @Override
    @Deprecated
    protected boolean primitiveMkdir(Path path, FsPermission permission) throws IOException {
        makeDirectories(absolute(path), permission, true);
        return true;
    }

    @Override
    @Deprecated
    protected void primitiveMkdir(Path path, FsPermission permission, boolean makesParents) throws IOException {
        makeDirectories(absolute(path), permission, makesParents);
    }

    private void makeDirectories(Path path, FsPermission permission, boolean makesParents) throws IOException {
        statistics.incrementWriteOps(1);
        figures.timedRun(StoreStatisticNames.OP_MKDIRS, () -> {
            if (makesParents) {
                tree.createDirectories(path, permission.toShort());
            } else {
                tree.createDirectory(path, permission.toShort());
            }
        });
    }

    @Override
    public boolean rename(Path from, Path to) throws IOException {
        Path source = absolute(from);
        Path target = absolute(to);
        statistics.incrementWriteOps(1);
        return figures.timed(StoreStatisticNames.OP_RENAME, () -> tree.rename(source, target));
    }

    @Override
    @Deprecated
    protected void rename(Path from, Path to, Options.Rename... options) throws IOException {
        rename(from, to, EnumSet.copyOf(java.util.List.of(options)).contains(Options.Rename.OVERWRITE));
    }

    /** Renames as {@code FileContext} does. */
    void rename(Path from, Path to, boolean overwrite) throws IOException {
        Path source = absolute(from);
        Path target = absolute(to);
        statistics.incrementWriteOps(1);
        figures.timedRun(StoreStatisticNames.OP_RENAME, () -> tree.rename(source, target, overwrite));
    }

    @Override
    public boolean delete(Path path, boolean recursive) throws IOException {
        Path absolute = absolute(path);
        statistics.incrementWriteOps(1);
        return figures.timed(StoreStatisticNames.OP_DELETE, () -> tree.remove(absolute, recursive));
    }

    @Override
    public boolean truncate(Path path, long newLength) throws IOException {
        Path absolute = absolute(path);
        statistics.incrementWriteOps(1);
        figures.timedRun(StoreStatisticNames.OP_TRUNCATE, () -> tree.truncate(absolute, newLength));
        return true;
    }

    @Override
    public void setPermission(Path path, FsPermission permission) throws IOException {
        Path absolute = absolute(path);
        statistics.incrementWriteOps(1);
        figures.timedRun(
                StoreStatisticNames.OP_SET_PERMISSION, () -> tree.setPermissions(absolute, permission.toShort()));
    }

    /**
     * Sets the owner, the group, or both; null leaves one as it is. Names are those of the configuration, of this host,
     * or of the server.
     */
    @Override
    public void setOwner(Path path, String owner, String group) throws IOException {
        Path absolute = absolute(path);
        AttributeChanges changes = AttributeChanges.NONE;
        if (owner != null && !owner.isEmpty()) {
            Optional<String> number = settings.numberOf(owner);
            changes = changes.withOwner(number.isPresent() ? number.get() : Names.ownerOf(owner));
        }
        if (group != null && !group.isEmpty()) {
            changes = changes.withGroup(Names.groupOf(group));
        }
        set(absolute, StoreStatisticNames.OP_SET_OWNER, changes);
    }

    /** Sets times in milliseconds; -1 leaves one as it is. */
    @Override
    public void setTimes(Path path, long modified, long accessed) throws IOException {
        set(
                absolute(path),
                StoreStatisticNames.OP_SET_TIMES,
                AttributeChanges.NONE.withTimes(instant(accessed), instant(modified)));
    }

    private static Instant instant(long millis) {
        return millis == -1 ? null : Instant.ofEpochMilli(millis);
    }

    private void set(Path path, String operation, AttributeChanges changes) throws IOException {
        statistics.incrementWriteOps(1);
        figures.timedRun(operation, () -> tree.set(path, changes));
    }
}
