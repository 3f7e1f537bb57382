"""Compiled GraphQL selections: a faster path through graphql-core for objects whose fields are plain attributes.

graphql-core builds a path and an info for each field of each object, calls a resolver, and completes its result. For a
plain attribute this is `getattr` and a scalar's serialization. So, from the second execution of an operation on, the
plain fields of a selection are one Python function:

    { charge(txid: "…") { id amount customer { name } } }

    def plan(s):
        return {
            "id": v if type(v := s.id) is str else leaf_0(v),
            "amount": leaf_1(s.amount),
            "customer": None,  # It has a resolver: graphql-core executes it.
        }

* **`plan_cache`** compiles selections, and caches the plans of the 512 operations used last. **`executor`** is
  graphql-core's executor with one method overridden. **`completion`** serializes attributes. **`single_field`**
  executes operations of one root field without an executor, with variables coerced by **`coercion`**.
* **graphql-core executes everything else.** Fields with resolvers, arguments, permissions or extensions, directives,
  fragment variables, interfaces and unions are never in a plan. For an unexpected value (a forbidden null, an error, an
  awaitable, a missing attribute) a plan gives up, and graphql-core executes the whole object again, so errors, their
  paths and order, and the propagation of nulls are its own. `tests/schema/test_compiled.py` and `test_single_field.py`
  compare both on random documents, values and arguments.
* **A resolver is called once.** A request falls back to graphql-core before the call, or gets an executor for the rest.
* **Optional**: with `GATEWAY_GRAPHQL_COMPILED=off` graphql-core executes everything (`tests/schema/test_hook.py`).
"""

from gateway.schema.compiled.executor import CompiledExecutor

__all__ = ["CompiledExecutor"]
