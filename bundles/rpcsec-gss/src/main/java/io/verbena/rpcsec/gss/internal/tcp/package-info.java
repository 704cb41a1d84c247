/** RPC over TCP (RFC 5531 section 11), as far as callers need it who make their contexts there. */
package io.verbena.rpcsec.gss.internal.tcp;
