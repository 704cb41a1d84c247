package io.verbena.dirfd.internal.service;

import io.verbena.dirfd.host.ExtendedAttributes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.osgi.service.component.annotations.Component;

/**
 * Lists the names of a file's extended attributes, as a service whose types all belong to the JDK. So users of the
 * service are not wired to this bundle, and are not restarted with it or with the native code below it. Throws an
 * {@link UncheckedIOException} where the file's attributes cannot be read; returns null where this host has no way to
 * read them.
 */
@Component(service = Function.class, property = "verbena.function=extended-attribute-names")
public final class ExtendedAttributeNames implements Function<Path, List<String>> {
    @Override
    public List<String> apply(Path file) {
        try {
            return ExtendedAttributes.names(file).orElse(null);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
