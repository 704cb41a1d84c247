package io.verbena.nfs;

import java.time.Instant;

/**
 * Attributes to set; an attribute that is null keeps its value.
 *
 * @param mode the low twelve bits of the POSIX mode
 * @param owner a number or {@code user@domain}
 * @param group likewise
 * @param size in octets: a smaller size truncates the file, a larger one adds a hole
 * @param accessed when the content was read last
 * @param modified when the content was changed last
 */
public record AttributeChanges(
        Integer mode, String owner, String group, Long size, Instant accessed, Instant modified) {
    public static final AttributeChanges NONE = new AttributeChanges(null, null, null, null, null, null);

    public AttributeChanges withMode(int newMode) {
        return new AttributeChanges(newMode, owner, group, size, accessed, modified);
    }

    public AttributeChanges withOwner(String newOwner) {
        return new AttributeChanges(mode, newOwner, group, size, accessed, modified);
    }

    public AttributeChanges withGroup(String newGroup) {
        return new AttributeChanges(mode, owner, newGroup, size, accessed, modified);
    }

    public AttributeChanges withSize(long newSize) {
        return new AttributeChanges(mode, owner, group, newSize, accessed, modified);
    }

    public AttributeChanges withTimes(Instant newAccessed, Instant newModified) {
        return new AttributeChanges(mode, owner, group, size, newAccessed, newModified);
    }
}
