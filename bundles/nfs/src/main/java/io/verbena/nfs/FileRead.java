package io.verbena.nfs;

/**
 * The outcome of {@link Mount#readFileAsync}.
 *
 * @param octets the number of octets that were read from the start of the file
 * @param before the attributes before the read
 * @param after the attributes after the read
 */
public record FileRead(int octets, FileAttributes before, FileAttributes after) {
    /** Whether the octets are all of the file, and no other client has changed the file while it was read. */
    public boolean isWhole() {
        return octets == before.size()
                && before.size() == after.size()
                && before.modified().equals(after.modified());
    }
}
