package io.verbena.cli.internal.resident;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EligibilityTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "# nothing\n",
                "nfs:ls w:/",
                "nfs:mount -o port=20049,ro 127.0.0.1:/ w; nfs:ls -l w:/a | grep -v \"b c\"\necho done",
                "rdma:devices; rdma:reconnect w; rpcrdma:decode 00",
                "NAME = 'a b'; nfs:cat w:/$NAME ${NAME}c \"x $NAME $1\" $args",
                "each [a b] { nfs:rm w:/$it; echo $it }",
                "each $args {\n  nfs:rm $it\n  echo gone\n}",
                "if { nfs:stat w:/a } { echo yes } { echo no }",
                "try { nfs:rm w:/a } { echo '$(bundle:list)' }",
                "nfs:lock w:/a { nfs:cat w:/a }",
                "X = (nfs:sha256 w:/a); echo $X",
                "nfs:mkdir w:/a && nfs:ls w:/a",
                "nfs:put --bwlimit '08:00,512k 23:00,off' a w:/",
                "nfs:find --name=*.c w:/",
            })
    void shouldTakeWhatChangesNothingThatOutlivesIt(String script) {
        assertThat(Eligibility.isFor(script, false)).as(script).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bundle:list",
                "nfs:ls w:/; bundle:stop io.verbena.cli",
                "exec ls",
                "while { true } { echo a }",
                "sleep 1000",
                "ls w:/",
                "source other",
                "head file",
                "each [a] { bundle:stop $it }",
                "each [a b] {echo $it\nbundle:list}",
                "echo (bundle:list)",
                "echo [(bundle:list)]",
                "echo $(bundle:list)",
                "echo \"a $(bundle:list)\"",
                "echo `bundle:list`",
                "X = (bundle:list)",
                "X = bundle:list 0",
                "X = { bundle:list }; $X",
                "$X w:/",
                "'bundle:list'",
                "\"bundle:list\"",
                "bundle\\:list",
                "nfs:ls w:/ | bundle:list",
                "nfs:ls w:/ && bundle:list",
                "nfs:put a w:/ &",
                "nfs:cat w:/a > b",
                "nfs:cat w:/a >> b",
                "nfs:put - w:/a < b",
                "nfs:ls w:/ |& grep a",
                "(bundle 0) stop",
                "($.context bundles)",
                "echo $.context",
                "echo ${.context}",
                "echo $X.y",
                "%(1+1)",
                "echo %(1+1)",
                "[a b] size",
                "nfs:serve exports",
                "nfs:demo",
                "rdma:doctor",
                "echo 'open",
                "nfs:ls w:/ || echo no",
                "echo }",
                "{ echo a",
                "addcommand x $y",
                "nfs:ls{bundle:list}",
                "system:shutdown -f",
            })
    void shouldLeaveAllElseToAProcessOfItsOwn(String script) {
        assertThat(Eligibility.isFor(script, false)).as(script).isFalse();
        assertThat(Eligibility.isFor(script, true)).as(script).isFalse();
    }

    @Test
    void shouldTellOfTheProcessOnlyWhereItIsShared() {
        assertThat(Eligibility.isFor("rdma:stats", false)).isFalse();
        assertThat(Eligibility.isFor("rdma:stats", true)).isTrue();
        assertThat(Eligibility.isFor("echo a; rdma:trace start f", false)).isFalse();
    }
}
