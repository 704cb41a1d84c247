/**
 * NFSv4.1 on the wire (RFC 8881, XDR of RFC 5662), for both sides: arguments and results of operations, and their
 * types. Uses {@code io.verbena.xdr} alone. Any thread; nothing blocks and nothing is kept: decoders read from a
 * caller's reader, encoders write to its writer.
 *
 * <p>One class for each operation and one for each type, named as RFC 8881 names them, so that a reader who knows the
 * name of either opens its file at once: {@code Open} is section 18.16, {@code StateId} is section 8.2. That is why the
 * package has more than 30 classes: parts of it would have to be guessed before the name. Operations of callbacks
 * (section 20) start with {@code Cb}. {@link io.verbena.nfs41.Compound} and {@link io.verbena.nfs41.CbCompound} tell
 * how operations go together, {@link io.verbena.nfs41.Opcode} numbers them, {@link io.verbena.nfs41.Status} numbers
 * errors.
 */
@Export
@Version("1.3.0")
package io.verbena.nfs41;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
