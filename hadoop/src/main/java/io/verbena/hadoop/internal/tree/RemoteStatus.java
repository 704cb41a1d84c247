package io.verbena.hadoop.internal.tree;

import org.apache.hadoop.fs.EtagSource;
import org.apache.hadoop.fs.FileStatus;

/** A status with an etag, which changes with each change of the content or the attributes. */
final class RemoteStatus extends FileStatus implements EtagSource {
    private static final long serialVersionUID = 1L;

    private final String etag;

    RemoteStatus(FileStatus status, String etag) throws java.io.IOException {
        super(status);
        this.etag = etag;
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
