package io.verbena.dirfd.internal.service;

import io.verbena.dirfd.host.ExtendedAttributes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import org.osgi.service.component.annotations.Component;

/**
 * The names of a file's extended attributes, as a service whose types are all the JDK's: who uses it is not wired to
 * this bundle, and so not restarted with it, nor with the native code below. Throws an {@link UncheckedIOException}
 * where the file cannot be asked; gives null where no file of this host can.
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
