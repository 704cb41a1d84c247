/** The devices of this host as an RDMA provider, through libibverbs and librdmacm. */
package io.verbena.verbs.natives.internal;
