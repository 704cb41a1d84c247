package io.verbena.standalone;

import static io.verbena.standalone.ContractCase.example;
import static io.verbena.standalone.ContractCase.path;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Cases of operations on paths that access no file. */
final class PathCases {
    private PathCases() {}

    static Stream<ContractCase> names() {
        List<String> texts = List.of(
                "", "/", "a", "a/b", "/a", "/a/b/", "a//b", "..", "../a", "a/..", "/..", "/a/../b", "./a", "a/./b",
                "a/b/c", ".");
        return Stream.concat(
                texts.stream().map(one -> example("path '" + one + "'", d -> about(path(d, one)))),
                texts.stream()
                        .map(one -> example("'" + one + "' and others", d -> texts.stream()
                                .map(two -> two + ": " + together(path(d, one), path(d, two)))
                                .collect(Collectors.joining("\n")))));
    }

    private static String about(Path path) {
        List<String> names = new ArrayList<>();
        path.forEach(name -> names.add(name.toString()));
        return path + " " + path.isAbsolute() + " " + path.getNameCount() + " " + path.getFileName() + " "
                + path.getParent() + " " + path.getRoot() + " " + path.normalize() + " " + names;
    }

    private static String together(Path one, Path two) {
        String relative;
        try {
            relative = one.relativize(two).toString();
        } catch (IllegalArgumentException e) {
            relative = "none";
        }
        return one.resolve(two) + " " + one.resolveSibling(two) + " " + relative + " " + one.startsWith(two) + " "
                + one.endsWith(two) + " " + one.equals(two) + " " + Integer.signum(one.compareTo(two));
    }
}
