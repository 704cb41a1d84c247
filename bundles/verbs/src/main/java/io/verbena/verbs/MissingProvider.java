package io.verbena.verbs;

import org.osgi.annotation.versioning.ProviderType;

/**
 * A provider that this host cannot have now. The bundle of the provider registers this service in its place, for those
 * who tell users what is missing. Any thread may call its methods.
 */
@ProviderType
public interface MissingProvider {
    /** The provider's name for users: {@code native}. */
    String name();

    /** What is missing, and what to do, in one line. */
    String reason();
}
