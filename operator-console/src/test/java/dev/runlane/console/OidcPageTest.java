package dev.runlane.console;

import static dev.runlane.console.ConsoleFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import dev.runlane.console.access.OidcOptions;
import dev.runlane.console.access.SmallProvider;
import io.vertx.core.Vertx;
import java.io.IOException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DisplayNameGeneration;
import org.junit.jupiter.api.DisplayNameGenerator.ReplaceUnderscores;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@Tag("full")
@DisplayName("log-ins with OpenID Connect, in Chromium")
@DisplayNameGeneration(ReplaceUnderscores.class)
class OidcPageTest {

  @Test
  void a_person_logs_in_with_the_provider_and_comes_back_to_where_they_were() throws IOException {
    Vertx vertx = Vertx.vertx();
    SmallProvider provider = new SmallProvider(vertx);
    ConsoleOptions options = new ConsoleOptions()
        .setOidc(new OidcOptions()
            .setIssuer(provider.issuer())
            .setClientId("console")
            .setClientSecret("s3cret-of-the-console"));
    try (ConsoleBrowser browser = ConsoleBrowser.start();
        ConsoleFixture console = new ConsoleFixture(options)) {
      Page page = browser.open(console.port, 1440, 900, ColorScheme.LIGHT);
      page.navigate(browser.url("/runs?status=failed"));
      page.locator("text=Log in with your organisation").waitFor();
      assertThat(page.locator("input[type=password]").count())
          .as("no token is of use")
          .isZero();
      browser.holdToAxe("the page that leads to the provider");
      page.locator("text=Log in with your organisation").click();

      page.locator("h1:text-is('Runs')").waitFor();
      assertThat(page.url()).endsWith("/runs?status=failed");
      assertThat(page.locator(".who").innerText()).contains("anna", "operator");
      page.route("**/auth/log-out", Route::abort);
      page.locator("button:text-is('Log out')").click();
      page.locator("text=This could not be done.").waitFor();
      assertThat(page.locator(".who").innerText()).as("still logged in").contains("anna");
      page.unroute("**/auth/log-out");
      page.locator("button:text-is('Log out')").click();
      page.locator("text=Log in with your organisation").waitFor();
      page.reload();
      page.locator("text=Log in with your organisation").waitFor();
      assertThat(browser.complaints())
          .allMatch(each -> each.contains("401")
              || each.contains("ERR_FAILED")
              || each.contains(provider.issuer()));
      browser.closePage();
    }
    await(vertx.close());
  }
}
