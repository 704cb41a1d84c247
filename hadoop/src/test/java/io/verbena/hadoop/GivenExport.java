package io.verbena.hadoop;

import java.net.URI;
import org.apache.hadoop.conf.Configuration;

/** The export of another server, whose root belongs to {@link #OWNER}. */
record GivenExport(URI uri) implements Export {
    /** The system property that has the URI. */
    static final String PROPERTY = "verbena.contract.uri";

    static final int OWNER = 1000;

    @Override
    public Configuration configured(Configuration configuration) {
        return Export.configured(configuration, uri, "hadoop", OWNER);
    }

    @Override
    public void close() {
        // the server goes on
    }
}
