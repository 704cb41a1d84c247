package io.verbena.hadoop;

import java.io.IOException;
import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** An export for tests of one user who owns its root. */
interface Export extends AutoCloseable {
    /** The URI of the export's root. */
    URI uri();

    /** Makes the export the default file system. */
    Configuration configured(Configuration configuration);

    /** A configuration whose default file system is the export. */
    default Configuration configuration() {
        return configured(new Configuration());
    }

    @Override
    void close() throws IOException;

    /** What is set for any export. */
    static Configuration configured(Configuration configuration, URI uri, String temporary, int owner) {
        configuration.set("fs.defaultFS", uri.toString());
        configuration.set("fs.AbstractFileSystem.nfs+rdma.impl", NfsAbstractFileSystem.class.getName());
        configuration.set("hadoop.tmp.dir", temporary);
        configuration.set("fs.verbena.options", "uid=" + owner + ",gid=" + owner);
        return configuration;
    }
}
