"""A faster way through graphql-core for what is plain: objects whose selected fields are attributes.

graphql-core takes some 7 µs for each field of each object: it builds a path and an info, calls a resolver, asks
whether the result is awaitable, completes it. For a field that merely shows an attribute all of this ends in
`getattr` and a scalar's `serialize`. So, from the second time that a document is executed, the plain fields of a
selection become one Python function:

    { charge(txid: "…") { id amount customer { name } } }

    def plan(s):
        return {
            "id": v if type(v := s.id) is str else leaf_0(v),
            "amount": leaf_1(s.amount),
            "customer": None,  # It has a resolver: graphql-core fills it in.
        }

An operation of one root field goes further: it is executed without an executor, in one coroutine, where graphql-core
and Strawberry take five and find out each time what never changes (`straight`).

* **`plans`** compiles selections; **`executor`** is graphql-core's executor with one method overridden; **`leaves`**
  turns attributes into what the answer shows. **`straight`** executes an operation of one field: **`inputs`** coerces
  its variables, and **`calls`** calls its resolver.
* **What is irregular is the reference's.** A field with a resolver, arguments, permissions or extensions; a selection
  with directives or fragment variables; an interface or a union: they never become part of a plan. A value that a plan
  doesn't expect (null where null is forbidden, an error, an awaitable, a bad value, a missing attribute) makes it give
  up, and graphql-core executes the whole object again. Attributes are free to read twice, and so errors, their paths,
  their order and the propagation of nulls are the reference's own. `tests/schema/test_compiled.py` compares the two on
  random documents and values, and `tests/schema/test_straight.py` on random arguments, too.
* **A resolver is called once.** What is irregular before it is called (several fields or directives at the root,
  permissions, a literal object, a variable that can't be coerced) leaves the whole request to graphql-core. What is
  irregular afterwards gets an executor then: it completes the value, or tells the error.
* **Bounded**: plans belong to an operation, and the book keeps those of the 512 operations used last.
* **One setting away from gone**: `GATEWAY_GRAPHQL_COMPILED=off` executes everything by graphql-core, also where a
  version to come refuses to have this package imported (`tests/schema/test_hook.py`).
"""

from gateway.schema.compiled.executor import CompiledExecutor

__all__ = ["CompiledExecutor"]
