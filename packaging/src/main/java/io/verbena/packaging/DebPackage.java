package io.verbena.packaging;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.vafer.jdeb.Console;
import org.vafer.jdeb.DataConsumer;
import org.vafer.jdeb.DebMaker;
import org.vafer.jdeb.PackagingException;
import org.vafer.jdeb.shaded.commons.compress.archivers.tar.TarArchiveEntry;
import org.vafer.jdeb.shaded.commons.compress.archivers.tar.TarConstants;

/** A package for dpkg. */
final class DebPackage {
    private static final Map<String, String> PACKAGES =
            Map.of("libz.so.1", "zlib1g", "libstdc++.so.6", "libstdc++6", "libgcc_s.so.1", "libgcc-s1");

    private DebPackage() {}

    static Path write(FileTree tree, Description description, Path folder) throws IOException {
        Path control = Files.createDirectories(folder.resolve("control"));
        Files.writeString(control.resolve("control"), control(description));
        String reload = Description.script("reload.sh");
        // an upgrade that fails goes back to this version, whose prerm has cleared already
        Files.writeString(
                control.resolve("postinst"),
                script(Description.script("clear.sh"), Description.script("configure.sh"), reload));
        Files.writeString(control.resolve("prerm"), script(when("remove", "stop.sh"), Description.script("clear.sh")));
        Files.writeString(control.resolve("postrm"), script(when("purge", "purge.sh"), reload));
        Path deb = description.in(
                folder, "_" + description.packageVersion() + "_" + Description.debianArchitecture() + ".deb");
        DebMaker maker = new DebMaker(
                new Warnings(), List.of(to -> produce(tree, false, to)), List.of(to -> produce(tree, true, to)));
        maker.setControl(control.toFile());
        maker.setDeb(deb.toFile());
        maker.setCompression("gzip");
        maker.setTarLongFileMode("gnu");
        maker.setOutputTimestampMs(description.time().toEpochMilli());
        try {
            maker.validate();
            maker.makeDeb();
        } catch (PackagingException e) {
            throw new IOException("cannot make '" + deb + "'", e);
        }
        for (String name : List.of("control", "postinst", "prerm", "postrm")) {
            Files.delete(control.resolve(name));
        }
        Files.delete(control);
        return deb;
    }

    private static String script(String... parts) {
        return "#!/bin/sh\nset -e\n" + String.join("", parts);
    }

    private static String when(String action, String script) throws IOException {
        return "if [ \"$1\" = " + action + " ]; then\n"
                + Description.script(script).indent(4) + "fi\n";
    }

    static String control(Description description) {
        List<String> depends = new ArrayList<>();
        for (String library : description.libraries()) {
            depends.add(
                    library.startsWith("GLIBC_")
                            ? "libc6 (>= " + library.substring("GLIBC_".length()) + ")"
                            : PACKAGES.get(library));
        }
        depends.add("passwd");
        return """
                Package: %s
                Version: %s
                Section: net
                Priority: optional
                Architecture: %s
                Maintainer: %s
                Depends: %s
                Recommends: libibverbs1, librdmacm1, ibverbs-providers
                %sDescription: %s
                %s"""
                .formatted(
                        Description.NAME,
                        description.packageVersion(),
                        Description.debianArchitecture(),
                        Description.MAINTAINER,
                        String.join(", ", depends),
                        description
                                .page()
                                .map(page -> "Homepage: " + page + "\n")
                                .orElse(""),
                        Description.SUMMARY,
                        String.join("\n", Description.TEXT).indent(1));
    }

    /** Hands over all entries, or of those the files of configuration, which jdeb only lists. */
    private static void produce(FileTree tree, boolean onlyConfiguration, DataConsumer to) throws IOException {
        for (Map.Entry<String, FileTree.Entry> each : tree.entries().entrySet()) {
            FileTree.Entry entry = each.getValue();
            boolean isConfiguration =
                    entry.kind() == FileTree.Kind.FILE && each.getKey().startsWith("/etc/");
            if (isConfiguration || !onlyConfiguration) {
                produce("." + each.getKey(), entry, to);
            }
        }
    }

    private static void produce(String name, FileTree.Entry entry, DataConsumer to) throws IOException {
        switch (entry.kind()) {
            case DIRECTORY -> to.onEachDir(header(new TarArchiveEntry(name + "/", true), entry));
            case LINK -> {
                TarArchiveEntry link = header(new TarArchiveEntry(name, TarConstants.LF_SYMLINK), entry);
                link.setLinkName(entry.target());
                to.onEachLink(link);
            }
            case FILE -> {
                TarArchiveEntry file = header(new TarArchiveEntry(name, true), entry);
                file.setSize(entry.size());
                try (InputStream in = entry.open()) {
                    to.onEachFile(in, file);
                }
            }
        }
    }

    private static TarArchiveEntry header(TarArchiveEntry header, FileTree.Entry entry) {
        header.setMode(entry.mode());
        header.setUserName("root");
        header.setGroupName("root");
        return header;
    }

    private static final class Warnings implements Console {
        @Override
        public void debug(String message) {}

        @Override
        public void info(String message) {}

        @Override
        public void warn(String message) {
            System.err.println("deb: " + message);
        }
    }
}
