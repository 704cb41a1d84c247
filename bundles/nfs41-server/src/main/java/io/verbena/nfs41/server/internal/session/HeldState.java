package io.verbena.nfs41.server.internal.session;

/** An open, an owner's locks in a file, or a delegation, as its client's record lists it. */
public interface HeldState {}
