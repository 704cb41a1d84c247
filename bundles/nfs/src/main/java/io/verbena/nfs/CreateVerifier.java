package io.verbena.nfs;

import java.nio.file.OpenOption;

/**
 * An option of {@link Mount#open}: as {@link java.nio.file.StandardOpenOption#CREATE_NEW}, which it implies, by one
 * call that may be made again ({@code createverf} of EXCLUSIVE4_1, RFC 8881 section 18.16.3). The open finds the file
 * that an earlier open with the same value has created, on this mount or on one that has taken its place, and fails
 * with {@link java.nio.file.FileAlreadyExistsException} for any other file.
 *
 * <p>A server may keep the value only until attributes of the file are set, as one that keeps it in the times of the
 * file. So where an earlier open has no answer, that failure does not prove that another one has created the file.
 *
 * @param value a random number, of this call alone
 */
public record CreateVerifier(long value) implements OpenOption {}
