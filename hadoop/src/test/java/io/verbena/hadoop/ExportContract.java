package io.verbena.hadoop;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.contract.AbstractFSContract;

/** What {@code contract/nfs+rdma.xml} claims of a Verbena export. */
final class ExportContract extends AbstractFSContract {
    /** For all tests of the JVM; {@link SharedExport} closes it. */
    @GuardedBy("ExportContract.class")
    private static FileSystem files;

    ExportContract(Configuration configuration) {
        super(configuration);
        addConfResource("contract/nfs+rdma.xml");
    }

    /** The file system was closed; another run of tests gets another one. */
    static void forget() {
        synchronized (ExportContract.class) {
            files = null;
        }
    }

    @Override
    public FileSystem getTestFileSystem() throws IOException {
        synchronized (ExportContract.class) {
            if (files == null) {
                // not the one that FileSystem.get gives to all: others have other settings
                files = FileSystem.newInstance(
                        SharedExport.export().uri(), SharedExport.export().configured(getConf()));
            }
            return files;
        }
    }

    @Override
    public String getScheme() {
        return NfsFileSystem.SCHEME;
    }

    @Override
    public Path getTestPath() {
        return new Path(SharedExport.export().uri().resolve("/contract"));
    }
}
