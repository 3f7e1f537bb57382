"""A Pix payment gateway for merchants: transports translate, operations decide, models store, engines talk to
payment providers.
"""

__version__ = "2.0.0"
