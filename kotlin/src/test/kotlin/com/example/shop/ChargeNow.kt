package com.example.shop

import dev.runlane.kotlin.callRun
import dev.runlane.run.RunRecord
import dev.runlane.runtime.Runlane
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.minutes
import kotlinx.coroutines.withTimeoutOrNull

/** The receipt, or nothing where it takes longer than a minute: then the run is asked to cancel. */
suspend fun Runlane.chargeNow(order: Order): RunRecord? =
  withTimeoutOrNull(1.minutes) { callRun(charge, order, 1.hours) }
