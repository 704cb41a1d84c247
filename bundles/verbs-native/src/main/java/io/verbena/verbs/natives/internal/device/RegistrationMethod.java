package io.verbena.verbs.natives.internal.device;

/** How memory is opened to a peer. */
public enum RegistrationMethod {
    /** A type-2 memory window over a region that itself has no remote rights. */
    WINDOW("type-2 memory window"),
    /** A registration with one remote right. */
    REGION("registration for each operation");

    private final String text;

    RegistrationMethod(String text) {
        this.text = text;
    }

    /** The name for people to read. */
    public String text() {
        return text;
    }
}
