package io.verbena.simulation.coverage;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.util.List;

/** Loads the project's classes once more, and has them count their states. */
public final class WatchingLoader extends ClassLoader {
    private static final String PROJECT = "io.verbena.";
    /** Packages that are loaded once, for watched and other classes alike. */
    private static final List<String> SHARED =
            List.of("io.verbena.simulation.coverage.", "io.verbena.simulation.logging.");

    static {
        registerAsParallelCapable();
    }

    private WatchingLoader(ClassLoader parent) {
        super("watching", parent);
    }

    /** Runs the main method of the class that the first argument names, with the other arguments. */
    public static void main(String[] arguments) throws Throwable {
        String[] others = new String[arguments.length - 1];
        System.arraycopy(arguments, 1, others, 0, others.length);
        try {
            over(WatchingLoader.class.getClassLoader())
                    .loadClass(arguments[0])
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) others);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Makes a loader that takes the class files from another one. */
    static ClassLoader over(ClassLoader parent) {
        return new WatchingLoader(parent);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (!name.startsWith(PROJECT) || SHARED.stream().anyMatch(name::startsWith)) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name) : loaded;
        }
    }

    private Class<?> define(String name) throws ClassNotFoundException {
        URL file = getParent().getResource(name.replace('.', '/') + ".class");
        if (file == null) {
            throw new ClassNotFoundException(name);
        }
        try (InputStream in = file.openStream()) {
            byte[] octets = StateWeaver.weave(in.readAllBytes(), StateCoverage.present(), StateMachine.ALL);
            return defineClass(name, octets, 0, octets.length);
        } catch (IOException e) {
            throw new ClassNotFoundException(name, e);
        }
    }
}
