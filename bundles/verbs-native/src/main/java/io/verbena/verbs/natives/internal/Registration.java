package io.verbena.verbs.natives.internal;

/** How memory is opened to a peer. */
enum Registration {
    /** A type-2 memory window over memory that is itself never in the peer's reach. */
    WINDOW("type-2 memory window"),
    /** A registration with the one remote right. */
    REGION("registration for each operation");

    private final String text;

    Registration(String text) {
        this.text = text;
    }

    /** For people to read. */
    String text() {
        return text;
    }
}
