package io.verbena.nfs41.server.internal.state;

import io.verbena.nfs41.Opaque;
import io.verbena.nfs41.server.internal.session.Client;
import io.verbena.nfs41.server.internal.session.RequestId;
import io.verbena.nfs41.server.internal.vfs.Inode;

/**
 * The arguments of an OPEN whose file has been found.
 *
 * @param owner the open-owner
 * @param uid the user who opens it
 * @param access what the file is opened for: Open's SHARE_ACCESS bits alone
 * @param used as {@code access}, and SHARE_ACCESS_WRITE where the OPEN truncates the file: others may deny it
 * @param deny the access that is denied to others: Open's SHARE_DENY bits
 * @param wanted what delegation is wanted: Open's WANT_ bits under WANT_DELEGATION_MASK
 * @param size of the file, in octets
 * @param request the OPEN's request
 * @param room what the client's account was charged with before the file was made
 */
public record OpenRequest(
        Client client,
        Opaque owner,
        int uid,
        Inode inode,
        int access,
        int used,
        int deny,
        int wanted,
        long size,
        RequestId request,
        OpenRoom room) {}
