package io.verbena.dirfd;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.dirfd.host.Accounts;
import io.verbena.dirfd.internal.AccountFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AccountsTest {
    @TempDir
    Path temporary;

    private AccountFiles files() throws Exception {
        Path passwd = Files.writeString(
                temporary.resolve("passwd"),
                "root:x:0:0:root:/root:/bin/sh\nalice:x:1000:100::/:/bin/sh\nbroken\nbad:x:none:1::/:\n");
        Path group = Files.writeString(
                temporary.resolve("group"), "root:x:0:\nusers:x:100:alice\nstaff:x:50:bob,alice\nall:x:60:alicia\n");
        return new AccountFiles(passwd, group);
    }

    @Test
    void shouldReadUsersAndGroupsOfFiles() throws Exception {
        AccountFiles files = files();
        assertThat(files.user("alice")).contains(new Account(1000, 100, List.of(50)));
        assertThat(files.user("bob")).isEmpty();
        assertThat(files.user("bad")).isEmpty();
        assertThat(files.userName(1000)).contains("alice");
        assertThat(files.userName(1001)).isEmpty();
        assertThat(files.group("staff")).contains(50);
        assertThat(files.group("none")).isEmpty();
        assertThat(files.groupName(60)).contains("all");
    }

    @Test
    void shouldHaveNoUsersWithoutFiles() throws Exception {
        AccountFiles none = new AccountFiles(temporary.resolve("none"), temporary.resolve("neither"));
        assertThat(none.user("root")).isEmpty();
        assertThat(none.groupName(0)).isEmpty();
    }

    @Test
    void shouldAgreeWithTheFilesOfThisHost() throws Exception {
        AccountFiles files = AccountFiles.ofHost();
        assertThat(Accounts.user("root"))
                .contains(new Account(0, 0, Accounts.user("root").orElseThrow().groups()));
        assertThat(Accounts.userName(0)).contains("root");
        for (String name : List.of("daemon", "nobody", "bin")) {
            assertThat(Accounts.user(name).map(Account::uid))
                    .isEqualTo(files.user(name).map(Account::uid));
            assertThat(Accounts.user(name).map(Account::gid))
                    .isEqualTo(files.user(name).map(Account::gid));
            assertThat(Accounts.group(name)).isEqualTo(files.group(name));
        }
        assertThat(Accounts.groupName(0)).isEqualTo(files.groupName(0));
        assertThat(Accounts.user("no such user")).isEmpty();
        assertThat(Accounts.user("")).isEmpty();
        assertThat(Accounts.user("root\0")).isEmpty();
        assertThat(Accounts.userName(123_456_789)).isEmpty();
        assertThat(Accounts.groupName(123_456_789)).isEmpty();
    }
}
