"""Generated requests: thousands in `make fuzz`, and the same few in every `make test`.

Any request of any caller gets a documented response in the documented form, without data of other stores.
"""
