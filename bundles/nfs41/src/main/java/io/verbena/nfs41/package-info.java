/**
 * NFSv4.1 (RFC 8881, XDR of RFC 5662): one class an operation with codecs of its arguments and results for both sides of
 * the wire, and the types that they share. {@link io.verbena.nfs41.Compound} tells how they go together. Operations of
 * callbacks (section 20) are the classes whose names start with {@code Cb}.
 */
@Export
@Version("1.2.0")
package io.verbena.nfs41;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
