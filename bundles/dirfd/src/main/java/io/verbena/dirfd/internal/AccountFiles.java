package io.verbena.dirfd.internal;

import io.verbena.dirfd.Account;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The users and groups of passwd(5) and group(5), which are read anew each time. Thread safe. */
public final class AccountFiles implements AccountSource {
    private static final int NAME = 0;
    private static final int ID = 2;
    private static final int USER_GID = 3;
    private static final int MEMBERS = 3;
    private static final int FIELDS = 4;

    private final Path passwd;
    private final Path group;

    public AccountFiles(Path passwd, Path group) {
        this.passwd = passwd;
        this.group = group;
    }

    /** Those of this host. */
    public static AccountFiles ofHost() {
        return new AccountFiles(Path.of("/etc/passwd"), Path.of("/etc/group"));
    }

    @Override
    public Optional<Account> user(String name) throws IOException {
        String[] found = find(passwd, line -> line[NAME].equals(name) && isNumber(line[USER_GID]));
        if (found == null) {
            return Optional.empty();
        }
        int gid = number(found[USER_GID]);
        return Optional.of(new Account(number(found[ID]), gid, groups(name, gid)));
    }

    private List<Integer> groups(String name, int gid) throws IOException {
        List<Integer> groups = new ArrayList<>();
        lines(group)
                .filter(line -> Arrays.asList(line[MEMBERS].split(",", -1)).contains(name))
                .map(line -> number(line[ID]))
                .filter(each -> each != gid)
                .limit(Account.MAX_GROUPS)
                .forEach(groups::add);
        return groups;
    }

    @Override
    public Optional<String> userName(int uid) throws IOException {
        return Optional.ofNullable(find(passwd, line -> number(line[ID]) == uid))
                .map(line -> line[NAME]);
    }

    @Override
    public Optional<Integer> group(String name) throws IOException {
        return Optional.ofNullable(find(group, line -> line[NAME].equals(name))).map(line -> number(line[ID]));
    }

    @Override
    public Optional<String> groupName(int gid) throws IOException {
        return Optional.ofNullable(find(group, line -> number(line[ID]) == gid)).map(line -> line[NAME]);
    }

    private static String[] find(Path file, Predicate<String[]> wanted) throws IOException {
        return lines(file).filter(wanted).findFirst().orElse(null);
    }

    /** The entries of a file; none where there is no such file. Octets count as Latin-1, and so never fail. */
    private static Stream<String[]> lines(Path file) throws IOException {
        try {
            return Files.readAllLines(file, StandardCharsets.ISO_8859_1).stream()
                    .map(line -> line.split(":", -1))
                    .filter(line -> line.length >= FIELDS && isNumber(line[ID]));
        } catch (NoSuchFileException e) {
            return Stream.empty();
        }
    }

    private static boolean isNumber(String text) {
        return text.matches("\\d{1,10}") && Long.parseLong(text) <= 0xffff_ffffL;
    }

    private static int number(String text) {
        return Integer.parseUnsignedInt(text);
    }
}
