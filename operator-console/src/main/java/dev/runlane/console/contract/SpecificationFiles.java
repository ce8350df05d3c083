package dev.runlane.console.contract;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.file.FileSystem;
import io.vertx.json.schema.SchemaRepository;
import io.vertx.openapi.contract.OpenAPIContract;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Vert.x as vertx-openapi 5.0.8 needs it, which has Vert.x read the specifications of OpenAPI and JSON Schema: from the
 * class path of the thread's context class loader, through its cache of files. Neither need have them, as where Vert.x
 * writes no files, or in a program whose jars are within a jar. Here they come from the jars of who asks for them.
 */
final class SpecificationFiles implements InvocationHandler {
  private final Object actual;

  private SpecificationFiles(Object actual) {
    this.actual = actual;
  }

  static Vertx of(Vertx vertx) {
    return proxy(Vertx.class, vertx);
  }

  private static <T> T proxy(Class<T> type, T actual) {
    return type.cast(Proxy.newProxyInstance(
        SpecificationFiles.class.getClassLoader(),
        new Class<?>[] {type},
        new SpecificationFiles(actual)));
  }

  @Override
  public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    if (method.getName().equals("readFileBlocking") && arguments != null) {
      Buffer specification = specification(String.valueOf(arguments[0]));
      if (specification != null) {
        return specification;
      }
    }
    try {
      Object answer = method.invoke(actual, arguments);
      return answer instanceof FileSystem files ? proxy(FileSystem.class, files) : answer;
    } catch (InvocationTargetException thrown) {
      throw thrown.getCause();
    }
  }

  private static @Nullable Buffer specification(String path) throws IOException {
    for (Class<?> owner : List.of(OpenAPIContract.class, SchemaRepository.class)) {
      try (InputStream found = owner.getResourceAsStream("/" + path)) {
        if (found != null) {
          return Buffer.buffer(found.readAllBytes());
        }
      }
    }
    return null;
  }
}
