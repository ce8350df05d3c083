package dev.runlane.conformance.kit;

import io.vertx.junit5.ParameterClosingConsumer;
import io.vertx.junit5.VertxExtensionParameterProvider;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;

/**
 * Lets {@code VertxExtension} hand each case a {@link CaseVertx} and close it when the case has ended.
 * The plain {@code Vertx} of that extension would neither fail a case for what escapes into it nor have
 * the event loops that races start on.
 */
public final class CaseVertxProvider implements VertxExtensionParameterProvider<CaseVertx> {
  /** For the service loader. */
  public CaseVertxProvider() {}

  @Override
  public Class<CaseVertx> type() {
    return CaseVertx.class;
  }

  @Override
  public String key() {
    return CaseVertx.class.getName();
  }

  @Override
  public CaseVertx newInstance(ExtensionContext context, ParameterContext parameter) {
    return CaseVertx.open(new BlockedLoops());
  }

  @Override
  public ParameterClosingConsumer<CaseVertx> parameterClosingConsumer() {
    return CaseVertx::close;
  }
}
