package io.verbena.verbs.natives.internal.library;

/**
 * The members of {@code ibv_device_attr} that are used, and whether the transport type of {@code ibv_device} is iWARP.
 */
public record DeviceAttributes(
        boolean iwarp,
        String firmware,
        long maxMrSize,
        int vendorId,
        int maxQpWr,
        int maxSge,
        int maxCqe,
        int maxMr,
        int maxMw,
        int maxQpRdAtom,
        int maxQpInitRdAtom,
        int ports,
        long capabilities) {}
