package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.vfs.Inode;

/**
 * An OPEN whose file has been found.
 *
 * @param owner the open-owner
 * @param access what the file is opened for: Open's SHARE_ACCESS bits alone
 * @param deny what others may not do meanwhile
 * @param wanted what delegation is wanted: Open's WANT_ bits under WANT_DELEGATION_MASK
 * @param size of the file, in octets
 * @param request the OPEN's request
 */
public record OpenRequest(
        Client client, Opaque owner, Inode inode, int access, int deny, int wanted, long size, RequestId request) {}
