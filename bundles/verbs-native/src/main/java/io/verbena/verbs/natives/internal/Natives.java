package io.verbena.verbs.natives.internal;

/** The three ways out of the JVM. */
record Natives(Ibverbs verbs, Rdmacm cm, Posix posix) {}
