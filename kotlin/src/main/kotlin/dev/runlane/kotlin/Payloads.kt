package dev.runlane.kotlin

import com.fasterxml.jackson.module.kotlin.kotlinModule
import dev.runlane.json.JsonCodec
import dev.runlane.runtime.RunlaneBuilder

/**
 * Reads and writes Kotlin's classes as payloads, outputs and results of steps: `data class`es
 * without defaults, values that may be null, sealed classes. A field that may not be null and is
 * missing is refused, not null. Otherwise as the runtime's standard: unknown fields are ignored,
 * times are ISO-8601 text.
 */
public fun RunlaneBuilder.kotlinPayloads(): RunlaneBuilder =
  objectMapper(JsonCodec.standardMapper().registerModule(kotlinModule()))
