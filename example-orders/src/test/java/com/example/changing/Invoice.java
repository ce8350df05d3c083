package com.example.changing;

import com.fasterxml.jackson.annotation.JsonAlias;
import org.jspecify.annotations.Nullable;

record Invoice(
    String number,
    @JsonAlias("cust") String customer, // was called cust until May
    @Nullable String language) { // added in June: null in what is older
  Invoice {
    language = language == null ? "en" : language;
  }
}
