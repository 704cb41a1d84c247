package io.verbena.cli.internal.script;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The classes of bundles that the JVM has loaded, by its log of them. The JVM's archive of classes leaves out those
 * that are loaded but not linked, such as those that others were verified against.
 */
final class LoadedClasses {
    private static final Logger LOG = LoggerFactory.getLogger(LoadedClasses.class);

    /** The name of a class, and the bundle that it comes from. The names of hidden classes have a slash. */
    private static final Pattern LINE = Pattern.compile("([^ /]+) source: jar:bundle://[^ _]*_([0-9]+)\\..*");

    private LoadedClasses() {}

    /**
     * Links the classes, also those that are loaded because of others. A class that cannot be linked is left alone.
     *
     * @param context the container's
     * @param log what the JVM writes for {@code -Xlog:class+load}, without decorations
     */
    static void link(BundleContext context, Path log) throws IOException {
        Set<String> linked = new HashSet<>();
        boolean goOn = true;
        while (goOn) {
            goOn = false;
            for (String line : Files.readAllLines(log, ISO_8859_1)) {
                Matcher matcher = LINE.matcher(line);
                if (matcher.matches() && linked.add(line)) {
                    link(context.getBundle(Long.parseLong(matcher.group(2))), matcher.group(1));
                    goOn = true;
                }
            }
        }
    }

    private static void link(Bundle bundle, String name) {
        if (bundle == null) {
            return;
        }
        try {
            Method[] unused = bundle.loadClass(name).getDeclaredMethods(); // reflection links a class
        } catch (ClassNotFoundException | RuntimeException | Error e) {
            LOG.debug("{} is not linked", name, e);
        }
    }
}
