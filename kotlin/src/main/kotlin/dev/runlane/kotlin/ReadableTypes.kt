package dev.runlane.kotlin

import dev.runlane.run.RunlaneException
import kotlin.reflect.KClass
import kotlin.reflect.KType

/** What JSON reads back as itself without being told the type. */
private val PLAIN = setOf(Any::class, String::class, Boolean::class)

private val CONTAINERS = setOf(Collection::class, List::class, Map::class)

/**
 * The class, where JSON is read back as the whole type by its class alone: a `List<Order>` would
 * come back as a list of maps, and fail far from here. Throws `ConfigurationInvalid` otherwise.
 */
@PublishedApi
internal fun <T : Any> readable(what: String, type: KType, javaClass: Class<T>): Class<T> {
  if (!isReadable(type)) {
    throw RunlaneException.configurationInvalid(
      "%s is a %s, which JSON cannot be read back as: give it a class of its own",
      what,
      type,
    )
  }
  return javaClass
}

/**
 * An array is read back as the class of its elements says, in which nothing but what is plain may
 * be left out.
 */
private fun isReadable(type: KType): Boolean =
  if ((type.classifier as? KClass<*>)?.java?.isArray == true) {
    type.arguments.all { argument -> argument.type?.let(::isReadable) ?: true }
  } else {
    type.arguments.all { isPlain(it.type) }
  }

private fun isPlain(type: KType?): Boolean =
  type == null ||
    type.classifier in PLAIN ||
    (type.classifier in CONTAINERS && type.arguments.all { isPlain(it.type) })
