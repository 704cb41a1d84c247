package io.verbena.conformance;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Finds the tests with {@link Proves} among the compiled test classes of all modules, without loading the classes. */
final class Proofs {
    private static final String TEST = "org.junit.platform.commons.annotation.Testable";
    private static final String TAG = "org.junit.jupiter.api.Tag";

    /** The tag of classes whose tests another test runs in a virtual machine, where outcomes are not recorded. */
    private static final String IN_GUEST = "in-guest";

    private static final int DEEPEST_MODULE = 2;

    private Proofs() {}

    /** @return the folders of all modules below root that were compiled with their tests, except this module */
    static List<Path> modules(Path root) throws IOException {
        try (Stream<Path> folders = Files.walk(root, DEEPEST_MODULE)) {
            return folders.filter(folder -> Files.isDirectory(folder.resolve("target/test-classes")))
                    // this module's tests contain examples
                    .filter(folder -> !folder.equals(root.resolve("conformance")))
                    .sorted()
                    .toList();
        }
    }

    static SortedSet<String> idsOf(Map<TestName, Proof> proofs) {
        SortedSet<String> ids = new TreeSet<>();
        proofs.values().forEach(proof -> ids.addAll(proof.ids()));
        return ids;
    }

    /** @throws IllegalStateException if the annotation is on something other than a test */
    static Map<TestName, Proof> scan(List<Path> modules) {
        List<Path> classes = modules.stream()
                .map(module -> module.resolve("target/test-classes"))
                .toList();
        Map<TestName, Proof> proofs = new TreeMap<>();
        for (JavaClass type : new ClassFileImporter().importPaths(classes)) {
            // test classes that several modules use are found in their module's jar as well; those belong to no module
            Optional<Path> module = modules.stream()
                    .filter(folder -> type.getSource()
                            .filter(source -> source.getUri()
                                    .toString()
                                    .startsWith(folder.resolve("target/test-classes")
                                            .toUri()
                                            .toString()))
                            .isPresent())
                    .findFirst();
            if (module.isPresent() && !type.getModifiers().contains(JavaModifier.ABSTRACT) && !isInGuest(type)) {
                for (Proof proof : proofs(type, module.get())) {
                    proofs.merge(proof.test(), proof, Proofs::both);
                }
            }
        }
        return proofs;
    }

    private static boolean isInGuest(JavaClass type) {
        return tags(type).contains(IN_GUEST)
                || type.getEnclosingClass().map(Proofs::isInGuest).orElse(false);
    }

    private static Proof both(Proof one, Proof other) {
        one.ids().addAll(other.ids());
        return one;
    }

    private static List<Proof> proofs(JavaClass type, Path module) {
        List<JavaClass> lineage = new ArrayList<>(List.of(type));
        lineage.addAll(type.getAllRawSuperclasses());
        SortedSet<String> ofClass = new TreeSet<>();
        SortedSet<String> tags = new TreeSet<>();
        for (JavaClass ancestor : lineage) {
            ofClass.addAll(values(ancestor, Proves.class.getName()));
            tags.addAll(tags(ancestor));
        }
        Map<String, JavaMethod> methods = new LinkedHashMap<>();
        for (JavaClass ancestor : lineage) {
            for (JavaMethod method : ancestor.getMethods()) {
                methods.putIfAbsent(method.getName() + method.getRawParameterTypes(), method);
            }
        }
        List<Proof> proofs = new ArrayList<>();
        for (JavaMethod method : methods.values()) {
            SortedSet<String> ids = new TreeSet<>(values(method, Proves.class.getName()));
            boolean test = method.isMetaAnnotatedWith(TEST);
            if (!ids.isEmpty() && !test) {
                throw new IllegalStateException(method.getFullName() + " carries @Proves and is no test");
            }
            if (test) {
                ids.addAll(ofClass);
            }
            if (!ids.isEmpty()) {
                SortedSet<String> needs = new TreeSet<>(tags);
                needs.addAll(tags(method));
                proofs.add(new Proof(new TestName(type.getName(), method.getName()), module, ids, needs));
            }
        }
        return proofs;
    }

    /** The tags of a class or a method, and of its annotations. */
    private static List<String> tags(HasAnnotations<?> annotated) {
        List<String> tags = new ArrayList<>(values(annotated, TAG));
        for (JavaAnnotation<?> each : annotated.getAnnotations()) {
            tags.addAll(values(each.getRawType(), TAG));
        }
        return tags;
    }

    private static List<String> values(HasAnnotations<?> annotated, String annotation) {
        Optional<? extends JavaAnnotation<?>> found = annotated.tryGetAnnotationOfType(annotation);
        Object value = found.flatMap(present -> present.get("value")).orElse(null);
        if (value instanceof Object[] several) {
            return Arrays.stream(several).map(Object::toString).toList();
        }
        return value == null ? List.of() : List.of(value.toString());
    }
}
