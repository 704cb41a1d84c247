package io.verbena.conformance;

import java.util.Comparator;

/**
 * A test method. Methods of one name and different parameters count as one.
 *
 * @param className the binary name of the class that runs the method and may inherit it
 * @param method the name of the method
 */
record TestName(String className, String method) implements Comparable<TestName> {
    private static final Comparator<TestName> ORDER =
            Comparator.comparing(TestName::shortName).thenComparing(TestName::className);

    /** @return the name for people: the class without its package, a dot, the method */
    String shortName() {
        return className.substring(className.lastIndexOf('.') + 1).replace('$', '.') + "." + method;
    }

    @Override
    public int compareTo(TestName other) {
        return ORDER.compare(this, other);
    }
}
