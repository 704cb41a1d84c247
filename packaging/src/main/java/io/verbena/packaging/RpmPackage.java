package io.verbena.packaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Map;
import java.util.regex.Pattern;
import org.eclipse.packager.rpm.FileFlags;
import org.eclipse.packager.rpm.RpmTag;
import org.eclipse.packager.rpm.RpmVersion;
import org.eclipse.packager.rpm.build.BuilderContext;
import org.eclipse.packager.rpm.build.BuilderOptions;
import org.eclipse.packager.rpm.build.RpmBuilder;
import org.eclipse.packager.rpm.build.SimpleFileInformationCustomizer;

/** A package for rpm. */
final class RpmPackage {
    private static final String RELEASE = "1";
    private static final Pattern OF_SHELLS = Pattern.compile("/usr/share/(bash-completion|fish|zsh)(/|$)");

    private RpmPackage() {}

    static Path write(FileTree tree, Description description, Path folder) throws IOException {
        String architecture = Description.rpmArchitecture();
        Path rpm = description.in(
                folder, "-" + description.packageVersion() + "-" + RELEASE + "." + architecture + ".rpm");
        Files.deleteIfExists(rpm);
        BuilderOptions options = new BuilderOptions();
        options.setOpenOptions(new StandardOpenOption[] {StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE});
        RpmVersion version = new RpmVersion(description.packageVersion(), RELEASE);
        try (RpmBuilder builder = new RpmBuilder(Description.NAME, version, architecture, rpm, options)) {
            describe(builder.getInformation(), description);
            int seconds = (int) description.time().getEpochSecond();
            builder.setHeaderCustomizer(header -> header.putInt(RpmTag.BUILDTIME, seconds));
            for (String library : description.libraries()) {
                builder.addRequirement(
                        library.startsWith("GLIBC_") ? "libc.so.6(" + library + ")(64bit)" : library + "()(64bit)", "");
            }
            for (String program : new String[] {"/bin/sh", "/usr/bin/find", "/usr/bin/sed", "/usr/sbin/useradd"}) {
                builder.addRequirement(program, "");
            }
            builder.setPostInstallationScript("set -e\n" + Description.script("clear.sh")
                    + Description.script("configure.sh") + Description.script("reload.sh"));
            // with 1, this is the older version of an upgrade, and the newer one is configured already
            builder.setPreRemoveScript(
                    "[ \"$1\" = 0 ] || exit 0\n" + Description.script("stop.sh") + Description.script("clear.sh"));
            builder.setPostRemoveScript(Description.script("reload.sh"));
            BuilderContext context = builder.newContext();
            for (Map.Entry<String, FileTree.Entry> each : tree.entries().entrySet()) {
                add(context, each.getKey(), each.getValue(), description);
            }
            builder.build();
        }
        return rpm;
    }

    private static void describe(RpmBuilder.PackageInformation information, Description description) {
        information.setSummary(Description.SUMMARY);
        information.setDescription(String.join("\n", Description.TEXT));
        description.page().ifPresent(information::setUrl);
        information.setVendor("Verbena");
        information.setPackager(Description.MAINTAINER);
        information.setLicense("Apache-2.0");
        information.setGroup("Applications/System");
        information.setBuildHost("verbena.invalid");
    }

    private static void add(BuilderContext context, String path, FileTree.Entry entry, Description description)
            throws IOException {
        SimpleFileInformationCustomizer customizer = information -> {
            information.setTimestamp(description.time());
            information.setUser("root");
            information.setGroup("root");
            information.setMode((short) entry.mode());
            if (isConfiguration(path, entry)) {
                information.setFileFlags(EnumSet.of(FileFlags.CONFIGURATION, FileFlags.NOREPLACE));
            }
        };
        switch (entry.kind()) {
            case DIRECTORY -> {
                if (isOwn(path)) {
                    context.addDirectory(path, customizer);
                }
            }
            case LINK -> context.addSymbolicLink(path, entry.target(), customizer);
            case FILE -> {
                if (entry.file() != null) {
                    context.addFile(path, entry.file(), customizer);
                } else {
                    context.addFile(path, entry.octets(), customizer);
                }
            }
        }
    }

    private static boolean isConfiguration(String path, FileTree.Entry entry) {
        return entry.kind() == FileTree.Kind.FILE && path.startsWith("/etc/");
    }

    /**
     * Directories of the system belong to the packages of the system. Those for completions of shells that may not be
     * there belong to each package that has some, as rpm permits.
     */
    private static boolean isOwn(String path) {
        return (path + "/").contains("/" + Description.NAME + "/")
                || OF_SHELLS.matcher(path).lookingAt();
    }
}
