"""A Pix payment gateway for merchants: doors translate, rooms decide, models remember, engines speak to banks."""

__version__ = "2.0.0"
