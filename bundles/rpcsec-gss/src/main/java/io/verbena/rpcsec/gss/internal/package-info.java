/**
 * RPCSEC_GSS (RFC 2203) on the JDK's GSS-API and Kerberos.
 *
 * <p>Uses {@code rpc} for calls and requests, {@code xdr} for messages, {@code memory} for the memory of answers and
 * {@code runtime} for clock and waits.
 */
package io.verbena.rpcsec.gss.internal;
