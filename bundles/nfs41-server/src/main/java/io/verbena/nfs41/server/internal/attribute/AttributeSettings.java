package io.verbena.nfs41.server.internal.attribute;

import java.nio.file.attribute.FileTime;

/**
 * Attributes to set; null fields stay as they are.
 *
 * @param mode the low twelve bits
 * @param serverTime whether one of the times is the server's present one, for which write permission is enough
 */
public record AttributeSettings(
        Integer mode, Integer uid, Integer gid, Long size, FileTime accessed, FileTime modified, boolean serverTime) {
    public static final AttributeSettings NONE = new AttributeSettings(null, null, null, null, null, null, false);

    public boolean isEmpty() {
        return equals(NONE);
    }

    /** What is left to set once the size is. */
    public AttributeSettings withoutSize() {
        return new AttributeSettings(mode, uid, gid, null, accessed, modified, serverTime);
    }

    public AttributeSettings withMode(Integer newMode) {
        return new AttributeSettings(newMode, uid, gid, size, accessed, modified, serverTime);
    }

    public AttributeSettings withOwner(Integer newUid, Integer newGid) {
        return new AttributeSettings(mode, newUid, newGid, size, accessed, modified, serverTime);
    }
}
