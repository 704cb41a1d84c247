package io.verbena.verbs.natives.internal;

/** The part of {@code ibv_device_attr} that is used; and of {@code ibv_device}, whether it speaks iWARP. */
record DeviceAttributes(
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
