package io.verbena.conformance;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the requirements that a test proves: it fails when one of them is broken. On a class, it holds for each of its
 * tests. The build checks the ids against the tables in {@code docs/conformance} and reports how the tests went; see
 * its {@code README.md}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Proves {
    /** @return ids of requirements, such as {@code V1-4.3-5} */
    String[] value();
}
