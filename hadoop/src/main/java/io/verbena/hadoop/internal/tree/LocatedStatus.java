package io.verbena.hadoop.internal.tree;

import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;

/** A status with block locations and an etag. */
final class LocatedStatus extends LocatedFileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    LocatedStatus(FileStatus status, BlockLocation[] locations) {
        super(status, locations);
        this.etag = status instanceof EtagSource source ? source.getEtag() : null;
    }

    @Override
    public String getEtag() {
        return etag;
    }

    @Override
    public boolean equals(Object other) {
        return super.equals(other);
    }

    @Override
    public int hashCode() {
        return super.hashCode();
    }
}
