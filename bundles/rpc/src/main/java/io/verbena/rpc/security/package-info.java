/**
 * Security flavors as services: who makes calls, and how that is proved and kept (RFC 2203 for RPCSEC_GSS). A client
 * makes a {@link io.verbena.rpc.security.SecurityClient}, and a server a
 * {@link io.verbena.rpc.security.SecurityServer}, by the service {@link io.verbena.rpc.security.RpcSecurity}.
 */
@Export
@Version("1.1.0")
package io.verbena.rpc.security;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
