package io.verbena.nfs;

import java.time.Instant;

/**
 * Attributes to set; null fields stay as they are.
 *
 * @param mode the low twelve bits of the POSIX mode
 * @param owner a number or {@code user@domain}
 * @param group likewise
 * @param size in octets: shorter truncates, longer leaves a hole
 * @param accessed of the content
 * @param modified of the content
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
