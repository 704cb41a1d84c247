package io.verbena.webconsole.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.runtime.SystemRuntime;
import java.io.ByteArrayOutputStream;
import java.io.StringReader;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.json.Json;
import javax.json.JsonReader;
import javax.servlet.ServletOutputStream;
import javax.servlet.WriteListener;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.junit.jupiter.api.Test;

class ConsolePluginTest {
    private final ConsolePlugin plugin = new ConsolePlugin(new SystemRuntime());
    private final Map<String, Object> told = new HashMap<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();

    private void ask(String method, String path) throws Exception {
        HttpServletRequest request = (HttpServletRequest) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, called, arguments) -> switch (called.getName()) {
                    case "getMethod" -> method;
                    case "getPathInfo" -> path;
                    default -> throw new UnsupportedOperationException(called.getName());
                });
        HttpServletResponse response = (HttpServletResponse) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpServletResponse.class},
                (proxy, called, arguments) -> switch (called.getName()) {
                    case "setHeader" -> told.put((String) arguments[0], arguments[1]);
                    case "setStatus", "setContentType", "setCharacterEncoding", "setContentLength" ->
                        told.put(called.getName().substring("set".length()), arguments[0]);
                    case "getOutputStream" -> new Stream();
                    default -> throw new UnsupportedOperationException(called.getName());
                });
        plugin.service(request, response);
    }

    /** Keeps what is written. */
    private final class Stream extends ServletOutputStream {
        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void write(int octet) {
            body.write(octet);
        }
    }

    private String body() {
        return body.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldAnswerWithFigures() throws Exception {
        String name = "<img src=x onerror='alert(1)'>\"\\\u2028";
        plugin.mounts = List.of(Sample.mount(name));

        ask("GET", "/verbena/figures.json");

        assertThat(told)
                .containsEntry("Status", 200)
                .containsEntry("ContentType", "application/json")
                .containsEntry("CharacterEncoding", "utf-8")
                .containsEntry("ContentLength", body.size())
                .containsEntry("Cache-Control", "no-store")
                .containsEntry("X-Content-Type-Options", "nosniff")
                .containsEntry("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
        try (JsonReader reader = Json.createReader(new StringReader(body()))) {
            assertThat(reader.readObject()
                            .getJsonArray("mounts")
                            .getJsonObject(0)
                            .getString("name"))
                    .isEqualTo(name);
        }
    }

    @Test
    void shouldHaveAScriptThatMakesNoMarkupOfTexts() throws Exception {
        ask("GET", "/verbena/console.js");

        assertThat(told).containsEntry("Status", 200).containsEntry("ContentType", "text/javascript");
        assertThat(body())
                .contains("textContent")
                .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(");
    }

    @Test
    void shouldHaveAStyleSheet() throws Exception {
        ask("GET", "/verbena/console.css");

        assertThat(told).containsEntry("Status", 200).containsEntry("ContentType", "text/css");
        assertThat(body()).contains("#verbena").doesNotContain("url(", "@import");
    }

    @Test
    void shouldKnowNoOtherResource() throws Exception {
        for (String path : new String[] {
            "/verbena/x/console.js",
            "/verbena/Figures.class",
            "/verbena/../console.js",
            "/verbena/figures.json/",
            "/verbena/res/<b>",
            "/verbenaconsole.js",
        }) {
            told.clear();
            body.reset();

            ask("GET", path);

            assertThat(told).as(path).containsEntry("Status", 404).containsEntry("ContentType", "text/plain");
            assertThat(body()).isEqualTo("there is no such resource\n");
        }
    }

    @Test
    void shouldTakeNoOtherMethod() throws Exception {
        for (String method : new String[] {"POST", "PUT", "DELETE", "OPTIONS", "TRACE", "HEAD", "get"}) {
            told.clear();

            ask(method, "/verbena/figures.json");

            assertThat(told).as(method).containsEntry("Status", 405).containsEntry("Allow", "GET");
        }
    }
}
