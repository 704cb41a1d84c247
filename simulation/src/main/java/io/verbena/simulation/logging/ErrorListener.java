package io.verbena.simulation.logging;

/** A thread that wants to know what is logged as an error while it runs. */
public interface ErrorListener {
    /**
     * Called on the thread itself.
     *
     * @param thrown null where the message came without
     */
    void onError(String message, Throwable thrown);
}
